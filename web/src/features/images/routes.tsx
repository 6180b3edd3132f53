import { createRoute } from '@tanstack/react-router';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';

export const imageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'images',
    component: lazyComponent(() => import('./image-list-page.tsx'), 'ImageListPage'),
  }),
] as const;
