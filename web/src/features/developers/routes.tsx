import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { requestSearchSchema } from './request-search.ts';

export const developerRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'developers',
    validateSearch: requestSearchSchema.extend({
      tab: z.enum(['keys', 'samples', 'requests', 'webhooks']).optional().catch(undefined),
    }),
    component: lazyRouteComponent(() => import('./developers-page.tsx'), 'DevelopersPage'),
  }),
] as const;
