import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { $api } from '../../api/client.ts';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { periodLengthSchema, periodSearchSchema } from '../../ui/period.ts';
import { kindSchema } from './kinds.ts';
import { metrics } from './metrics.ts';
import { analyticsQueries, feedInit } from './queries.ts';

export const activityRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'activity',
    validateSearch: periodSearchSchema.extend({
      kind: kindSchema.optional().catch(undefined),
      /** Id of the received email in the drawer. */
      received: z.uuid().optional().catch(undefined),
    }),
    beforeLoad: (context) =>
      startQueries(context, [], [$api.queryOptions('get', '/activity', feedInit(context.search))]),
    component: lazyComponent(() => import('./activity-page.tsx'), 'ActivityPage'),
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
    beforeLoad(context) {
      const { now, before, topCampaigns, topEvents } = analyticsQueries(context.search.period ?? '30d');
      startQueries(context, [now, before, topCampaigns('opens'), topEvents]);
    },
    component: lazyComponent(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
  }),
] as const;
