import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';

export const suppressionRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'suppressions',
    validateSearch: z.object({
      reason: z.enum(['bounce', 'complaint']).optional().catch(undefined),
      search: z.coerce.string().optional().catch(undefined),
    }),
    component: lazyRouteComponent(() => import('./suppression-list-page.tsx'), 'SuppressionListPage'),
  }),
] as const;
