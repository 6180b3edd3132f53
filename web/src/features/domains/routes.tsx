import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';

export const domainRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains',
    component: lazyComponent(() => import('./domain-list-page.tsx'), 'DomainListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'domains/$domainId',
    component: lazyComponent(() => import('./domain-page.tsx'), 'DomainPage'),
  }),
] as const;
