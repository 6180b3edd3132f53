import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { periodLengthSchema, periodSearchSchema } from '../../ui/period.ts';
import { kindSchema } from './kinds.ts';
import { metrics } from './metrics.ts';

export const activityRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity',
    validateSearch: periodSearchSchema.extend({ kind: kindSchema.optional().catch(undefined) }),
    component: lazyRouteComponent(() => import('./activity-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity/analytics',
    validateSearch: z.object({
      period: periodLengthSchema.optional().catch(undefined),
      metric: z
        .enum(metrics.map(({ key }) => key))
        .optional()
        .catch(undefined),
    }),
    component: lazyRouteComponent(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
  }),
] as const;
