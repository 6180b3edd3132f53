import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';

export const templateRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates',
    validateSearch: z.object({
      search: z.string().optional(),
      type: z.enum(['MARKETING', 'TRANSACTIONAL', 'HEADLESS']).optional(),
      sort: z.enum(['name', 'updatedAt']).optional(),
      page: z.number().int().min(1).optional(),
    }),
    component: lazyRouteComponent(() => import('./template-list-page.tsx'), 'TemplateListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates/new',
    component: lazyRouteComponent(() => import('./new-template-page.tsx'), 'NewTemplatePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates/$templateId',
    component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
  }),
] as const;
