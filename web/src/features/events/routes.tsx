import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { namesQuery, statsQuery } from './queries.ts';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'events',
    // A query parameter, because a name may contain slashes and dots.
    validateSearch: z.object({
      name: z.coerce.string().optional(),
      search: z.coerce.string().optional().catch(undefined),
    }),
    beforeLoad(context) {
      if (context.search.name === undefined) startQueries(context, [namesQuery, statsQuery]);
    },
    component: lazyComponent(() => import('./events-page.tsx'), 'EventsPage'),
  }),
] as const;
