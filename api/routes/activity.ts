import { z } from 'zod';
import { defineRoute } from '../edge/define-route.ts';
import { presentActivity, presentUpcoming } from '../presenters/activity.ts';
import {
  activityPageSchema,
  activityQuerySchema,
  activityStatsSchema,
  periodQuerySchema,
  recentCountQuerySchema,
  upcomingQuerySchema,
  upcomingSchema,
} from '../schemas/activity.ts';

const tags = ['Activity'];

const percentOf = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

export const listActivity = defineRoute({
  method: 'GET',
  path: '/activity',
  auth: 'secretKey',
  tags,
  summary: 'What happened in the project, newest first',
  description:
    'Sends, deliveries, opens, clicks, bounces, complaints, tracked events, subscriptions and more. An email that ' +
    'was held back is `email.bounced` with `bounceType` Suppressed, `status` SUPPRESSED and the `reason`; like ' +
    'transient bounces it counts in no figure.',
  query: activityQuerySchema,
  responses: {
    200: {
      description: 'A page of the feed.',
      schema: activityPageSchema,
      example: {
        data: [
          {
            id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
            type: 'email.clicked',
            timestamp: '2026-01-31T09:12:40.000Z',
            contactId: '01980d9c-1111-7000-8000-000000000002',
            contactEmail: 'ada@example.com',
            metadata: {
              emailId: '01980d9c-1111-7000-8000-000000000003',
              subject: 'News for Ada',
              clicks: 1,
              isFirst: true,
              link: 'https://example.com/offer',
            },
          },
        ],
        cursor: null,
        hasMore: false,
      },
    },
  },
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler({ project, query, services }) {
    const { rows, cursor, emails } = await services.activity.feed(project.id, query);
    return {
      status: 200,
      body: { data: rows.map((row) => presentActivity(row, emails)), cursor, hasMore: cursor !== null },
    };
  },
});

export const activityStatistics = defineRoute({
  method: 'GET',
  path: '/activity/stats',
  auth: 'secretKey',
  tags,
  summary: 'Counts and rates of a period',
  description:
    'The last 30 days by default. Opens and clicks count emails, not repetitions, and a click is an open too; bounces ' +
    'are the permanent ones. Rates are percentages of `sent`.',
  query: periodQuerySchema,
  responses: {
    200: {
      description: 'The figures.',
      schema: activityStatsSchema,
      example: {
        totalEvents: 3021,
        sent: 1200,
        delivered: 1188,
        opened: 480,
        clicked: 96,
        bounced: 6,
        complained: 0,
        workflowsStarted: 51,
        openRate: 40,
        clickRate: 8,
      },
    },
  },
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler({ project, query, services }) {
    const stats = await services.activity.stats(project.id, query);
    return {
      status: 200,
      body: {
        ...stats,
        openRate: percentOf(stats.opened, stats.sent),
        clickRate: percentOf(stats.clicked, stats.sent),
      },
    };
  },
});

export const recentActivityCount = defineRoute({
  method: 'GET',
  path: '/activity/recent-count',
  auth: 'secretKey',
  tags,
  summary: 'How much happened in the last minutes',
  query: recentCountQuerySchema,
  responses: {
    200: {
      description: 'Rows of the feed.',
      schema: z.object({ count: z.number().int(), minutes: z.number().int() }),
      example: { count: 42, minutes: 5 },
    },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handler({ project, query: { minutes }, services }) {
    return {
      status: 200,
      body: { count: await services.activity.recentCount(project.id, minutes), minutes },
    };
  },
});

export const listActivityTypes = defineRoute({
  method: 'GET',
  path: '/activity/types',
  auth: 'secretKey',
  tags,
  summary: 'The activity types that the project has had',
  responses: {
    200: {
      description: 'In alphabetical order.',
      schema: z.object({ types: z.array(z.string()) }),
      example: { types: ['email.delivered', 'email.opened', 'email.sent', 'event.tracked'] },
    },
  },
  errors: ['SERVICE_UNAVAILABLE'],
  async handler({ project, services }) {
    return { status: 200, body: { types: await services.activity.types(project.id) } };
  },
});

export const listUpcomingActivity = defineRoute({
  method: 'GET',
  path: '/activity/upcoming',
  auth: 'secretKey',
  tags,
  summary: 'What will happen next, soonest first',
  description:
    'Scheduled campaigns, and executions of workflows that wait: until the end of a delay, or until the time-out of a ' +
    'wait for an event. One that waits for an event without a time-out is not listed.',
  query: upcomingQuerySchema,
  responses: {
    200: {
      description: 'The next of them.',
      schema: upcomingSchema,
      example: {
        data: [
          {
            id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
            type: 'campaign.scheduled',
            timestamp: '2026-02-01T09:00:00.000Z',
            contactId: null,
            contactEmail: null,
            metadata: { campaignId: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47', campaignName: 'February news' },
          },
        ],
      },
    },
  },
  async handler({ project, query: { limit }, services }) {
    const rows = await services.activity.upcoming(project.id, limit);
    return { status: 200, body: { data: rows.map(presentUpcoming) } };
  },
});
