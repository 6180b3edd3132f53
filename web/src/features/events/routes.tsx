import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events',
    // A name may hold slashes and dots, so it stands in the query.
    validateSearch: z.object({
      name: z.coerce.string().optional(),
      search: z.string().optional().catch(undefined),
    }),
    component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
] as const;
