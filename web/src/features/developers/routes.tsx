import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { requestSearchSchema } from './request-search.ts';

export const developerRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'developers',
    validateSearch: requestSearchSchema.extend({
      tab: z.enum(['keys', 'samples', 'requests', 'webhooks']).optional().catch(undefined),
    }),
    component: lazyComponent(() => import('./developers-page.tsx'), 'DevelopersPage'),
  }),
] as const;
