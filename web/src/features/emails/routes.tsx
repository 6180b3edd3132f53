import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shell/routes.tsx';
import { emailSearchSchema } from './email-search.ts';

export const emailRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'emails',
    validateSearch: emailSearchSchema,
    component: lazyRouteComponent(() => import('./email-list-page.tsx'), 'EmailListPage'),
  }),
] as const;
