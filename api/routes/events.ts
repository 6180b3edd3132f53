import { z } from 'zod';
import { mostEventNames } from '../../analytics/questions/event-names.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { presentEvent } from '../presenters/activity.ts';
import * as schemas from '../schemas/activity.ts';

export const listEvents = defineRoute('GET /events', {
  summary: 'List events, newest first',
  description: 'Tracked events and events emitted by the service.',
  query: schemas.eventListQuerySchema,
  responses: ok('A page of events.', schemas.eventPageSchema),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const { rows, cursor, emails } = await ctx.services.activity.events(project.id, query);
    ctx.body = { data: rows.map((row) => presentEvent(row, emails)), cursor, hasMore: cursor !== null };
  },
});

export const listContactEvents = defineRoute('GET /events/contact/:contactId', {
  summary: 'List the events of a contact, newest first',
  query: schemas.eventListQuerySchema,
  responses: ok('A page of events.', schemas.eventPageSchema),
  errors: ['NOT_FOUND', 'BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, params, query }) {
    const { rows, cursor, emails } = await ctx.services.activity.contactEvents(
      project.id,
      params.contactId,
      query,
    );
    ctx.body = { data: rows.map((row) => presentEvent(row, emails)), cursor, hasMore: cursor !== null };
  },
});

export const listEventNames = defineRoute('GET /events/names', {
  summary: 'Names of events that have occurred in the project',
  description: `Tracked events, at most 10,000 per project, and events emitted by the service. Returns the first ${mostEventNames}.`,
  responses: ok('In alphabetical order.', z.object({ names: z.array(z.string()) })),
  errors: ['SERVICE_UNAVAILABLE'],
  async handler(ctx, { project }) {
    ctx.body = { names: await ctx.services.activity.eventNames(project.id) };
  },
});

export const eventStatistics = defineRoute('GET /events/stats', {
  summary: 'Counts of events by name and by day',
  description:
    'The last 30 days by default. `total` and the days count every event. Beyond ten years only days with events are listed.',
  query: schemas.periodQuerySchema,
  responses: ok('The figures.', schemas.eventStatsSchema),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    ctx.body = await ctx.services.activity.eventStats(project.id, query);
  },
});

export const eventUsage = defineRoute('GET /events/:eventName/usage', {
  summary: 'Where the name of an event is used',
  description:
    'Segments whose conditions use the event, including those that name an email activity such as ' +
    '`email.opened` for `email.open`. Returns empty lists for a name without references, known or not.',
  params: schemas.eventNameParamsSchema,
  responses: ok('References to the event, newest first.', schemas.eventUsageSchema, {
    segments: [{ id: '0193a1c2-5b7e-7c3d-9f00-2f6e8d4c1b0a', name: 'Recent buyers' }],
    workflows: [],
  }),
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.events.usage(project.id, params.eventName);
  },
});

/** Without this route, `listContactEvents` would match an event named `contact`. No contact has the id `usage`. */
export const usageOfEventContact = defineRoute('GET /events/contact/usage', {
  summary: 'Where the event `contact` is used',
  hidden: true,
  responses: ok('References to the event.', schemas.eventUsageSchema),
  async handler(ctx, { project }) {
    ctx.body = await ctx.services.events.usage(project.id, 'contact');
  },
});

export const deleteEvent = defineRoute('DELETE /events/:eventName', {
  summary: 'Delete all events of a name',
  description:
    'Permanently deletes every event of this name that the project has at the moment of the call: they disappear ' +
    'from segments, lists, counts and the activity feed. Lists and counts follow within seconds, or once ' +
    'analytics is available again. Events tracked after the call began stay. This also deletes events that the ' +
    'service has emitted, such as `email.open`; but figures about emails (sent, delivered, opened, clicked, ' +
    'bounced, complained) count emails and not events, so they stay, and so do the states of emails and ' +
    'contacts. Segments that use the event remain, and the name may be tracked again; until then it does not ' +
    'count towards the 10,000 names of the project.',
  params: schemas.eventNameParamsSchema,
  responses: ok('How many events were deleted; 0 when there were none.', z.object({ deleted: z.int() }), {
    deleted: 1204,
  }),
  place: 'elsewhere',
  async handler(ctx, { project, params }) {
    ctx.body = { deleted: await ctx.services.events.remove(project.id, params.eventName) };
  },
});
