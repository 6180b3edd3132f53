import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { startNext, startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { domainsQuery } from '../domains/queries.ts';
import { contentOf } from '../message-editor/content.ts';
import { previewOf, previewQuery } from '../message-editor/preview-query.ts';
import { templateListQuery, templateQuery, usageQuery } from './queries.ts';

export const templateRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates',
    validateSearch: z.object({
      search: z.coerce.string().optional().catch(undefined),
      type: z.enum(['MARKETING', 'TRANSACTIONAL', 'HEADLESS']).optional().catch(undefined),
      sort: z.enum(['name', 'updatedAt']).optional().catch(undefined),
      page: z.number().int().min(1).optional().catch(undefined),
    }),
    beforeLoad: (context) => startQueries(context, [templateListQuery(context.search)]),
    component: lazyComponent(() => import('./template-list-page.tsx'), 'TemplateListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates/new',
    component: lazyComponent(() => import('./new-template-page.tsx'), 'NewTemplatePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'templates/$templateId',
    beforeLoad(context) {
      const { projectId, templateId } = context.params;
      startQueries(context, [templateQuery(templateId), usageQuery(templateId), domainsQuery(projectId)]);
      startNext(context, templateQuery(templateId), (template) =>
        previewQuery('/templates/preview', previewOf(contentOf(template))),
      );
    },
    component: lazyComponent(() => import('./template-page.tsx'), 'TemplatePage'),
  }),
] as const;
