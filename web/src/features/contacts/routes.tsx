import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { z } from 'zod';
import { projectRoute } from '../../shell/routes.tsx';

export const contactRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts',
    validateSearch: z.object({
      search: z.string().optional(),
      status: z.enum(['subscribed', 'unsubscribed', 'snoozed']).optional(),
      data: z.record(z.string(), z.string()).optional(),
      sort: z.enum(['email', 'createdAt']).optional(),
      dir: z.enum(['asc', 'desc']).optional(),
    }),
    component: lazyRouteComponent(() => import('./contact-list-page.tsx'), 'ContactListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts/import',
    validateSearch: z.object({ job: z.string().optional() }),
    component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts/$contactId',
    component: lazyRouteComponent(() => import('./contact-page.tsx'), 'ContactPage'),
  }),
] as const;
