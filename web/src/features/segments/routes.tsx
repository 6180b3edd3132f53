import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';

export const segmentRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments',
    component: lazyRouteComponent(() => import('./segment-list-page.tsx'), 'SegmentListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments/new',
    validateSearch: z.object({ type: z.enum(['DYNAMIC', 'STATIC']).optional() }),
    component: lazyRouteComponent(() => import('./new-segment-page.tsx'), 'NewSegmentPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments/$segmentId',
    validateSearch: z.object({
      tab: z.enum(['members', 'settings']).optional(),
    }),
    component: lazyRouteComponent(() => import('./segment-page.tsx'), 'SegmentPage'),
  }),
] as const;
