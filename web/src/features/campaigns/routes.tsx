import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { $api } from '../../api/client.ts';
import { startNext, startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { domainsQuery } from '../domains/queries.ts';
import { contentOf } from '../message-editor/content.ts';
import { previewOf, previewQuery } from '../message-editor/preview-query.ts';
import { outcomes } from './outcomes.ts';
import {
  campaignListQuery,
  campaignQuery,
  figuresQuery,
  isUnsent,
  linksQuery,
  listedReport,
  recipientsInit,
  timelineQuery,
} from './queries.ts';

export const campaignRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns',
    validateSearch: z.object({
      search: z.coerce.string().optional().catch(undefined),
      status: z.enum(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED']).optional().catch(undefined),
      sort: z.enum(['name', 'updatedAt']).optional().catch(undefined),
      page: z.number().int().min(1).optional().catch(undefined),
    }),
    beforeLoad: (context) => startQueries(context, [campaignListQuery(context.search)]),
    component: lazyComponent(() => import('./campaign-list-page.tsx'), 'CampaignListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns/new',
    /** Id of the segment that gets it. */
    validateSearch: z.object({ segment: z.uuid().optional().catch(undefined) }),
    component: lazyComponent(() => import('./new-campaign-page.tsx'), 'NewCampaignPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns/$campaignId',
    validateSearch: z.object({
      outcome: z.enum(outcomes).optional().catch(undefined),
      /** Id of the campaign beside it. */
      compare: z.uuid().optional().catch(undefined),
    }),
    beforeLoad(context) {
      const { projectId, campaignId } = context.params;
      const report = listedReport(campaignId);
      if (report === undefined) {
        startQueries(context, [campaignQuery(campaignId), domainsQuery(projectId)]);
        return startNext(context, campaignQuery(campaignId), ({ data }) =>
          isUnsent(data) ? previewQuery('/campaigns/preview', previewOf(contentOf(data))) : undefined,
        );
      }
      const init = recipientsInit(campaignId, context.search.outcome);
      return startQueries(
        context,
        [campaignQuery(campaignId), figuresQuery(campaignId), linksQuery(campaignId), timelineQuery(report)],
        [$api.queryOptions('get', '/campaigns/{id}/recipients', init)],
      );
    },
    component: lazyComponent(() => import('./campaign-page.tsx'), 'CampaignPage'),
  }),
] as const;
