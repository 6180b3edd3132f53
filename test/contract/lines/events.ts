import { eventually } from '../../setup/eventually.ts';
import { type ContractLine, under, withQuery } from '../line.ts';
import { campaignStatFields, cursorFields } from './fields.ts';

const eventFields = ['id', 'name', 'data', 'contactId', 'contactEmail', 'emailId', 'createdAt'];
const activityFields = ['id', 'type', 'timestamp', 'contactId', 'contactEmail', 'metadata'];
const requestFields = [
  'id',
  'requestId',
  'createdAt',
  'method',
  'route',
  'status',
  'errorCode',
  'credential',
  'durationMs',
];
const badCursor = {
  when: 'the cursor is not one of ours',
  status: 400,
  code: 'BAD_REQUEST',
  change: withQuery('cursor=whatever'),
};
const badLimit = { when: 'the limit is 0', status: 422, change: withQuery('limit=0') };
const badDate = { when: 'a date is invalid', status: 422, change: withQuery('startDate=yesterday-ish') };
const period = 'startDate=2026-01-01&endDate=2100-01-01T00:00:00Z';

const inboundFields = [
  'id',
  'status',
  'messageId',
  'from',
  'fromName',
  'to.0',
  'subject',
  'inReplyTo',
  'emailId',
  'contactId',
  'automatic',
  ...under('verdicts', ['spf', 'dkim', 'dmarc', 'spam', 'virus']),
  'hasContent',
  'text',
  'html',
  'attachments',
  'receivedAt',
];

export const eventLines: readonly ContractLine[] = [
  {
    line: 'GET /inbound/:id',
    key: 'sk',
    success: 200,
    answer: inboundFields,
    valid: async (world) => ({ params: { id: await world.inbound() } }),
  },
  {
    line: 'GET /events',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', eventFields), ...cursorFields],
    valid: async (world) => ({ query: `limit=1000&name=${encodeURIComponent((await world.event()).name)}` }),
    refusals: [badCursor, badLimit],
  },
  {
    line: 'GET /requests',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', requestFields), ...cursorFields],
    valid: async (world) => {
      const query = 'status=2xx&method=GET&limit=1000';
      await eventually(
        async () => (await world.call('GET', `/requests?${query}`)).data.length,
        (count) => count > 0,
      );
      return { query };
    },
    refusals: [
      badCursor,
      badLimit,
      badDate,
      { when: 'the status is invalid', status: 422, change: withQuery('status=6xx') },
      { when: 'the method is invalid', status: 422, change: withQuery('method=TRACE') },
      { when: 'the route is a relative path', status: 422, change: withQuery('route=contacts') },
    ],
  },
  {
    line: 'GET /events/stats',
    key: 'sk',
    success: 200,
    answer: ['total', 'byName.0.name', 'byName.0.count', 'timeseries.0.date', 'timeseries.0.count'],
    valid: async (world) => {
      await world.event();
      return { query: period };
    },
    refusals: [badDate],
  },
  {
    line: 'GET /events/contact/:contactId',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', eventFields), ...cursorFields],
    valid: async (world) => ({ params: { contactId: (await world.event()).contactId } }),
    refusals: [badCursor, badLimit],
  },
  {
    line: 'GET /events/names',
    key: 'sk',
    success: 200,
    answer: ['names.0'],
    valid: async (world) => {
      await world.event();
      return {};
    },
  },
  {
    line: 'GET /events/:eventName/usage',
    key: 'sk',
    success: 200,
    answer: ['segments', 'workflows'],
    names: ['eventName'],
    valid: async (world) => ({ params: { eventName: (await world.event()).name } }),
  },
  {
    // An event may be called `contact`, which is also a path segment.
    line: 'GET /events/contact/usage',
    key: 'sk',
    success: 200,
    answer: ['segments', 'workflows'],
    valid: () => ({}),
  },
  {
    line: 'DELETE /events/:eventName',
    key: 'sk',
    success: 200,
    answer: ['deleted'],
    names: ['eventName'],
    valid: async (world) => ({ params: { eventName: (await world.event()).name } }),
  },
  {
    line: 'GET /activity',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', activityFields), ...cursorFields],
    valid: async (world) => {
      const { contactId } = await world.event();
      return { query: `types=event.tracked&contactId=${contactId}&limit=1000&${period}` };
    },
    refusals: [
      badCursor,
      badLimit,
      badDate,
      { when: 'a type is invalid', status: 422, change: withQuery('types=email.danced') },
      { when: 'the contact id is not a UUID', status: 422, change: withQuery('contactId=ada') },
    ],
  },
  {
    line: 'GET /activity/stats',
    key: 'sk',
    success: 200,
    answer: [
      'totalEvents',
      'sent',
      'delivered',
      'opened',
      'clicked',
      'bounced',
      'complained',
      'workflowsStarted',
      'openRate',
      'clickRate',
    ],
    valid: () => ({ query: period }),
    refusals: [badDate],
  },
  {
    line: 'GET /activity/recent-count',
    key: 'sk',
    success: 200,
    answer: ['count', 'minutes'],
    valid: () => ({ query: 'minutes=10' }),
    refusals: [{ when: 'the minutes are invalid', status: 422, change: withQuery('minutes=some') }],
  },
  { line: 'GET /activity/types', key: 'sk', success: 200, answer: ['types'], valid: () => ({}) },
  {
    line: 'GET /activity/upcoming',
    key: 'sk',
    success: 200,
    answer: under('data.0', activityFields),
    valid: async (world) => {
      await world.scheduledCampaign();
      return { query: 'limit=1000' };
    },
    refusals: [badLimit],
  },
  {
    line: 'GET /analytics/timeseries',
    key: 'sk',
    success: 200,
    answer: under('data.0', [
      'date',
      'sent',
      'delivered',
      'opened',
      'clicked',
      'bounced',
      'complained',
      'unsubscribed',
    ]),
    valid: () => ({ query: 'startDate=2026-01-01&endDate=2026-01-02&interval=hour' }),
    refusals: [badDate, { when: 'the interval is invalid', status: 422, change: withQuery('interval=moon') }],
  },
  {
    line: 'GET /analytics/top-campaigns',
    key: 'sk',
    success: 200,
    answer: ['data'],
    valid: () => ({ query: `metric=clicks&limit=5&${period}` }),
    refusals: [
      badDate,
      badLimit,
      { when: 'the metric is invalid', status: 422, change: withQuery('metric=love') },
    ],
  },
  {
    line: 'GET /analytics/campaign-stats',
    key: 'sk',
    success: 200,
    answer: [
      'data',
      ...under(
        'totals',
        campaignStatFields.filter((name) => name !== 'totalRecipients'),
      ),
    ],
    valid: () => ({ query: period }),
    refusals: [badDate],
  },
  {
    line: 'GET /analytics/top-events',
    key: 'sk',
    success: 200,
    answer: under('0', ['name', 'count', 'previousCount']),
    valid: async (world) => {
      await world.event();
      return { query: `limit=1000&${period}` };
    },
    refusals: [badDate, badLimit],
  },
];
