import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../shell/routes.tsx';

export const imageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'images',
    component: lazyRouteComponent(() => import('./image-list-page.tsx'), 'ImageListPage'),
  }),
] as const;
