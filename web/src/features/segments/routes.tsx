import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { $api } from '../../api/client.ts';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { membersInit, segmentQuery, segmentsQuery } from './queries.ts';

export const segmentRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments',
    validateSearch: z.object({ search: z.coerce.string().optional().catch(undefined) }),
    beforeLoad: (context) => startQueries(context, [segmentsQuery]),
    component: lazyComponent(() => import('./segment-list-page.tsx'), 'SegmentListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments/new',
    validateSearch: z.object({ type: z.enum(['DYNAMIC', 'STATIC']).optional().catch(undefined) }),
    component: lazyComponent(() => import('./new-segment-page.tsx'), 'NewSegmentPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'segments/$segmentId',
    validateSearch: z.object({
      tab: z.enum(['members', 'settings']).optional().catch(undefined),
    }),
    beforeLoad(context) {
      const { params, search } = context;
      const members = $api.queryOptions('get', '/segments/{id}/contacts', membersInit(params.segmentId));
      startQueries(
        context,
        [segmentQuery(params.segmentId), segmentsQuery],
        search.tab === 'settings' ? [] : [members],
      );
    },
    component: lazyComponent(() => import('./segment-page.tsx'), 'SegmentPage'),
  }),
] as const;
