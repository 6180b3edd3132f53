import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';

export const suppressionRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'suppressions',
    validateSearch: z.object({
      reason: z.enum(['bounce', 'complaint']).optional().catch(undefined),
      search: z.coerce.string().optional().catch(undefined),
    }),
    component: lazyComponent(() => import('./suppression-list-page.tsx'), 'SuppressionListPage'),
  }),
] as const;
