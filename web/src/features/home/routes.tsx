import { createRoute } from '@tanstack/react-router';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { homeQueries } from './queries.ts';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    beforeLoad(context) {
      const { projectId } = context.params;
      const { timeseries, sending, upcoming, health, setUp } = homeQueries;
      startQueries(context, [timeseries(), sending, upcoming, health(projectId), setUp(projectId)]);
    },
    component: lazyComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const;
