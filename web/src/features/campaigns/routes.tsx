import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { outcomes } from './outcomes.ts';

export const campaignRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns',
    validateSearch: z.object({
      search: z.string().optional(),
      status: z.enum(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED']).optional(),
      sort: z.enum(['name', 'updatedAt']).optional(),
      page: z.number().int().min(1).optional(),
    }),
    component: lazyRouteComponent(() => import('./campaign-list-page.tsx'), 'CampaignListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns/new',
    component: lazyRouteComponent(() => import('./new-campaign-page.tsx'), 'NewCampaignPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'campaigns/$campaignId',
    validateSearch: z.object({ outcome: z.enum(outcomes).optional() }),
    component: lazyRouteComponent(() => import('./campaign-page.tsx'), 'CampaignPage'),
  }),
] as const;
