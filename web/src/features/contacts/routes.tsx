import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { $api } from '../../api/client.ts';
import { startQueries } from '../../api/start-queries.ts';
import { projectRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';
import { contactListInit, contactQuery, fieldsQuery, timelineInit } from './queries.ts';

export const contactRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts',
    validateSearch: z.object({
      search: z.coerce.string().optional().catch(undefined),
      status: z.enum(['subscribed', 'unsubscribed', 'snoozed']).optional().catch(undefined),
      data: z.record(z.string(), z.string()).optional().catch(undefined),
      sort: z.enum(['email', 'createdAt']).optional().catch(undefined),
      dir: z.enum(['asc', 'desc']).optional().catch(undefined),
    }),
    beforeLoad(context) {
      const contacts = $api.queryOptions('get', '/contacts', contactListInit(context.search));
      startQueries(context, [fieldsQuery], [contacts]);
    },
    component: lazyComponent(() => import('./contact-list-page.tsx'), 'ContactListPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts/import',
    validateSearch: z.object({
      job: z.string().optional().catch(undefined),
      /** Id of the segment that the contacts of the file join. */
      segment: z.uuid().optional().catch(undefined),
    }),
    component: lazyComponent(() => import('./import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: 'contacts/$contactId',
    beforeLoad(context) {
      const { contactId } = context.params;
      const timeline = $api.queryOptions('get', '/activity', timelineInit(contactId));
      startQueries(context, [contactQuery(contactId)], [timeline]);
    },
    component: lazyComponent(() => import('./contact-page.tsx'), 'ContactPage'),
  }),
] as const;
