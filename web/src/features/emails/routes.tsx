import { createRoute } from '@tanstack/react-router';
import { $api } from '../../api/client.ts';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { emailSearchSchema, emailsInit } from './email-search.ts';

export const emailRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'emails',
    validateSearch: emailSearchSchema,
    beforeLoad: (context) =>
      startQueries(context, [], [$api.queryOptions('get', '/emails', emailsInit(context.search))]),
    component: lazyComponent(() => import('./email-list-page.tsx'), 'EmailListPage'),
  }),
] as const;
