import { z } from 'zod';
import { defineRoute } from '../edge/define-route.ts';
import { presentEvent } from '../presenters/activity.ts';
import {
  eventListQuerySchema,
  eventPageSchema,
  eventStatsSchema,
  periodQuerySchema,
} from '../schemas/activity.ts';

const tags = ['Events'];

export const listEvents = defineRoute({
  method: 'GET',
  path: '/events',
  auth: 'secretKey',
  tags,
  summary: 'List events, newest first',
  description: 'Tracked events and those that the service emits itself.',
  query: eventListQuerySchema,
  responses: { 200: { description: 'A page of events.', schema: eventPageSchema } },
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler({ project, query, services }) {
    const { rows, cursor } = await services.activity.events(project.id, query);
    return { status: 200, body: { data: rows.map(presentEvent), cursor, hasMore: cursor !== null } };
  },
});

export const listContactEvents = defineRoute({
  method: 'GET',
  path: '/events/contact/:contactId',
  auth: 'secretKey',
  tags,
  summary: 'List the events of a contact, newest first',
  params: z.object({ contactId: z.uuid() }),
  query: eventListQuerySchema,
  responses: { 200: { description: 'A page of events.', schema: eventPageSchema } },
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler({ project, params, query, services }) {
    const { rows, cursor } = await services.activity.contactEvents(project.id, params.contactId, query);
    return { status: 200, body: { data: rows.map(presentEvent), cursor, hasMore: cursor !== null } };
  },
});

export const listEventNames = defineRoute({
  method: 'GET',
  path: '/events/names',
  auth: 'secretKey',
  tags,
  summary: 'The names of the events that the project has had',
  responses: {
    200: { description: 'In alphabetical order.', schema: z.object({ names: z.array(z.string()) }) },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handler({ project, services }) {
    return { status: 200, body: { names: await services.activity.eventNames(project.id) } };
  },
});

export const eventStatistics = defineRoute({
  method: 'GET',
  path: '/events/stats',
  auth: 'secretKey',
  tags,
  summary: 'Counts of events by name and by day',
  description: 'The last 30 days by default.',
  query: periodQuerySchema,
  responses: { 200: { description: 'The figures.', schema: eventStatsSchema } },
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler({ project, query, services }) {
    return { status: 200, body: await services.activity.eventStats(project.id, query) };
  },
});
