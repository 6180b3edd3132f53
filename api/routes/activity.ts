import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';
import { presentActivity, presentActivityStats, presentUpcoming } from '../presenters/activity.ts';
import * as schemas from '../schemas/activity.ts';

export const listActivity = defineRoute('GET /activity', {
  summary: 'What happened in the project, newest first',
  description:
    'Sends, deliveries, opens, clicks, bounces, complaints, tracked events, subscriptions and more. An ' +
    'email that was withheld appears as `email.bounced` with `bounceType` Suppressed, `status` SUPPRESSED ' +
    'and the `reason`; like transient bounces, it is not counted.',
  query: schemas.activityQuerySchema,
  responses: ok('A page of the feed.', schemas.activityPageSchema, {
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
  }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const { rows, cursor, emails } = await ctx.services.activity.feed(project.id, query);
    ctx.body = { data: rows.map((row) => presentActivity(row, emails)), cursor, hasMore: cursor !== null };
  },
});

export const activityStatistics = defineRoute('GET /activity/stats', {
  summary: 'Counts and rates of a period',
  description:
    'The last 30 days by default. Opens and clicks count each email once, and a click implies an open; ' +
    'only permanent bounces count. Rates are percentages of `sent`.',
  query: schemas.periodQuerySchema,
  responses: ok('The figures.', schemas.activityStatsSchema, {
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
  }),
  errors: ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    ctx.body = presentActivityStats(await ctx.services.activity.stats(project.id, query));
  },
});

export const recentActivityCount = defineRoute('GET /activity/recent-count', {
  summary: 'Number of recent activities',
  query: schemas.recentCountQuerySchema,
  responses: ok('Number of rows in the feed.', z.object({ count: z.int(), minutes: z.int() }), {
    count: 42,
    minutes: 5,
  }),
  errors: ['SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query: { minutes } }) {
    ctx.body = { count: await ctx.services.activity.recentCount(project.id, minutes), minutes };
  },
});

export const listActivityTypes = defineRoute('GET /activity/types', {
  summary: 'Activity types that have occurred in the project',
  responses: ok('In alphabetical order.', z.object({ types: z.array(z.string()) }), {
    types: ['email.delivered', 'email.opened', 'email.sent', 'event.tracked'],
  }),
  errors: ['SERVICE_UNAVAILABLE'],
  async handler(ctx, { project }) {
    ctx.body = { types: await ctx.services.activity.types(project.id) };
  },
});

export const listUpcomingActivity = defineRoute('GET /activity/upcoming', {
  summary: 'Upcoming activity, soonest first',
  description:
    'Scheduled campaigns and waiting workflow executions, by the end of their delay or the timeout of ' +
    'their wait. Waits without a timeout are not listed.',
  query: schemas.upcomingQuerySchema,
  responses: ok('The next items.', schemas.upcomingSchema, {
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
  }),
  async handler(ctx, { project, query: { limit } }) {
    const rows = await ctx.services.activity.upcoming(project.id, limit);
    ctx.body = { data: rows.map(presentUpcoming) };
  },
});
