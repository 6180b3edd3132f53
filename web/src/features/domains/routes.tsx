import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shell/routes.tsx';

export const domainRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains',
    component: lazyRouteComponent(() => import('./domain-list-page.tsx'), 'DomainListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains/$domainId',
    component: lazyRouteComponent(() => import('./domain-page.tsx'), 'DomainPage'),
  }),
] as const;
