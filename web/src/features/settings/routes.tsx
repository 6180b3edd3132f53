import { createRoute, redirect } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';

const settings = '/projects/$projectId/settings';

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'settings',
    validateSearch: z.object({
      tab: z.enum(['project', 'members', 'limits', 'danger']).optional().catch(undefined),
      /** Outcome of the Stripe checkout. */
      checkout: z.enum(['success', 'cancelled']).optional().catch(undefined),
    }),
    component: lazyComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
  }),
  // URLs used in emails and by the payment provider.
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'billing',
    validateSearch: z.object({ checkout: z.enum(['success', 'cancelled']).optional().catch(undefined) }),
    beforeLoad: ({ params, search }) => {
      throw redirect({ to: settings, params, search: { tab: 'limits', ...search } });
    },
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'security',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/projects/$projectId', params });
    },
  }),
] as const;
