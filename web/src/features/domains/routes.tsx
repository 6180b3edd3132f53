import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { domainsQuery } from './queries.ts';

export const domainRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains',
    validateSearch: z.object({ search: z.coerce.string().optional().catch(undefined) }),
    beforeLoad: (context) => startQueries(context, [domainsQuery(context.params.projectId)]),
    component: lazyComponent(() => import('./domain-list-page.tsx'), 'DomainListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains/$domainId',
    beforeLoad: (context) => startQueries(context, [domainsQuery(context.params.projectId)]),
    component: lazyComponent(() => import('./domain-page.tsx'), 'DomainPage'),
  }),
] as const;
