import { z } from 'zod';
import { fetchText } from './call-api.ts';
import { measureCpu } from './cpu-per-item.ts';
import type { DashboardRecords, DashboardSize } from './dashboard-data.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

/** For each list and log that the dashboard reads. */
const limitMs = 200;
const rounds = 40;
/** For one call; slow calls are repeated less often. */
const patienceMs = 8_000;

export interface DashboardIds extends DashboardRecords, Pick<DashboardSize, 'contacts' | 'executions'> {
  /** A campaign to all contacts. */
  campaignId: string;
  executionId: string;
  emailId: string;
  contactId: string;
  /** Address and subject of a contact and an email in the middle of the lists. */
  address: string;
  subject: string;
}

export type Call = [work: string, path: string, body?: object];

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const contactCalls = ({ contactId }: DashboardIds): Call[] => [
  ['contacts', '/contacts?limit=50'],
  ['contacts by address', '/contacts?limit=50&sort=email'],
  ['contacts, unsubscribed', '/contacts?limit=50&status=unsubscribed'],
  ['contacts, a word in many addresses', '/contacts?limit=50&search=shop.example'],
  ['contacts, one address', '/contacts?limit=50&search=user777123@'],
  ['contacts, a word in no address', '/contacts?limit=50&search=nobody-has-this'],
  ['contacts, a common value', '/contacts?limit=50&filter[data.plan]=pro'],
  ['contacts, a rare value', '/contacts?limit=50&filter[data.address.zip]=12345'],
  ['contacts, a rare value, by address', '/contacts?limit=50&filter[data.address.zip]=12345&sort=email'],
  ['contacts, a common value, unsubscribed', '/contacts?limit=50&filter[data.plan]=pro&status=unsubscribed'],
  ['contacts, a word in some addresses, subscribed', '/contacts?limit=50&search=user77&status=subscribed'],
  ['a part of the count of a value', '/contacts/count?filter[data.plan]=pro'],
  ['the count of a word in addresses', '/contacts/count?search=shop.example'],
  ['one contact', `/contacts/${contactId}`],
  ['segments of a contact', `/contacts/${contactId}/segments`],
  ['activity of a contact', `/activity?limit=50&contactId=${contactId}`],
  ['contact fields', '/contacts/fields'],
  ['values of a field', '/contacts/fields/data.plan/values'],
];

const emailCalls = (ids: DashboardIds): Call[] => [
  ['emails', '/emails?limit=50'],
  ['emails, a common status', '/emails?limit=50&status=DELIVERED'],
  ['emails, a status nothing has', '/emails?limit=50&status=UNKNOWN'],
  ['emails, bounced', '/emails?limit=50&status=BOUNCED'],
  ['emails, failed', '/emails?limit=50&status=FAILED'],
  ['emails of workflows', '/emails?limit=50&source=WORKFLOW'],
  ['emails of one workflow', `/emails?limit=50&workflowId=${ids.workflowId}`],
  ['emails of a campaign', `/emails?limit=50&campaignId=${ids.campaignId}`],
  ['emails of a campaign, failed', `/emails?limit=50&campaignId=${ids.campaignId}&status=FAILED`],
  [
    'emails of a campaign, a status nothing has',
    `/emails?limit=50&campaignId=${ids.campaignId}&status=UNKNOWN`,
  ],
  ['emails of a week', `/emails?limit=50&startDate=${daysAgo(40)}&endDate=${daysAgo(33)}`],
  ['emails, a word in many subjects', '/emails?limit=50&search=order'],
  ['emails, one subject, months ago', `/emails?limit=50&search=${encodeURIComponent(ids.subject)}`],
  ['emails, a word in no subject', '/emails?limit=50&search=nothing-has-this'],
  ['emails to one address', `/emails?limit=50&search=${encodeURIComponent(ids.address)}`],
  ['emails to a part of one address', '/emails?limit=50&search=er7@'],
  ['emails to a part of many addresses', '/emails?limit=50&search=@shop.example'],
  ['emails to an address that is no contact', '/emails?limit=50&search=nobody@example.com'],
  ['emails of a contact', `/emails?limit=50&contactId=${ids.contactId}`],
  ['one email', `/emails/${ids.emailId}`],
];

const campaignCalls = ({ campaignId }: DashboardIds): Call[] => [
  ['campaigns', '/campaigns'],
  ['campaigns, 100 by name', '/campaigns?pageSize=100&sort=name&dir=asc'],
  ['campaigns, searched', '/campaigns?search=nothing-has-this'],
  ['campaigns being sent', '/campaigns?status=SENDING&pageSize=5'],
  ['one campaign', `/campaigns/${campaignId}`],
  ['figures of a campaign', `/campaigns/${campaignId}/stats`],
  ['links of a campaign', `/campaigns/${campaignId}/links`],
  [
    'timeline of a campaign',
    `/analytics/timeseries?campaignId=${campaignId}&interval=hour&startDate=${daysAgo(14)}`,
  ],
  ...[
    '',
    'sent',
    'opened',
    'clicked',
    'bounced',
    'complained',
    'unsubscribed',
    'failed',
    'skipped',
    'pending',
  ].map(
    (outcome): Call => [
      `recipients${outcome && `, ${outcome}`}`,
      `/campaigns/${campaignId}/recipients?limit=50${outcome && `&outcome=${outcome}`}`,
    ],
  ),
];

const audienceCalls = ({ contacts, staticSegmentId, dynamicSegmentId }: DashboardIds): Call[] => [
  ['segments', '/segments'],
  ['one segment', `/segments/${dynamicSegmentId}`],
  ['members of a static segment', `/segments/${staticSegmentId}/contacts?page=1&pageSize=50`],
  [
    'members of a static segment, last page',
    `/segments/${staticSegmentId}/contacts?page=${contacts / 200}&pageSize=50`,
  ],
  ['members of a dynamic segment', `/segments/${dynamicSegmentId}/contacts?page=1&pageSize=50`],
  [
    'members of a dynamic segment, deep page',
    `/segments/${dynamicSegmentId}/contacts?page=${contacts / 1000}&pageSize=50`,
  ],
  ['suppressions', '/suppressions?limit=50'],
  ['suppressions by complaint', '/suppressions?limit=50&reason=complaint'],
  ['audience of everybody', '/campaigns/audience', { type: 'MARKETING', audienceType: 'ALL' }],
];

const workflowCalls = ({
  executions,
  workflowId,
  executionId,
  templateId,
  address,
}: DashboardIds): Call[] => [
  ['workflows', '/workflows'],
  ['one workflow', `/workflows/${workflowId}`],
  ['statistics of a workflow', `/workflows/${workflowId}/statistics`],
  ['executions', `/workflows/${workflowId}/executions`],
  ['executions that wait', `/workflows/${workflowId}/executions?status=WAITING`],
  ['executions of one contact', `/workflows/${workflowId}/executions?email=${encodeURIComponent(address)}`],
  ['executions, last page', `/workflows/${workflowId}/executions?page=${executions / 20}`],
  ['one execution', `/workflows/${workflowId}/executions/${executionId}`],
  ['templates', '/templates'],
  ['templates, 100 by name', '/templates?pageSize=100&sort=name&dir=asc'],
  ['templates, searched', '/templates?search=nothing-has-this'],
  ['one template', `/templates/${templateId}`],
  ['what sends a template', `/templates/${templateId}/usage`],
  ['uploads', '/uploads?limit=60'],
];

const figureCalls = ({ projectId }: DashboardIds): Call[] => [
  ['activity', '/activity?limit=50'],
  ['activity of one kind', '/activity?limit=50&types=email.bounced'],
  ['activity of a week', `/activity?limit=50&startDate=${daysAgo(40)}&endDate=${daysAgo(33)}`],
  ['upcoming', '/activity/upcoming'],
  ['names of events', '/events/names'],
  ['figures of events', '/events/stats'],
  ['events of one name', '/events?limit=50&name=order%20placed'],
  ['use of an event', '/events/order%20placed/usage'],
  ['timeseries of 30 days', '/analytics/timeseries'],
  ['timeseries of 90 days', `/analytics/timeseries?startDate=${daysAgo(90)}`],
  ['top campaigns', `/analytics/top-campaigns?metric=opens&limit=10&startDate=${daysAgo(30)}`],
  ['top events', `/analytics/top-events?limit=10&startDate=${daysAgo(30)}`],
  ['health of the sending', `/projects/${projectId}/security`],
  ['set-up of the project', `/projects/${projectId}/setup-state`],
];

/** Every list and log, with its filters, and the figures shown beside them. */
export const callsOf = (ids: DashboardIds): Call[] =>
  [contactCalls, emailCalls, campaignCalls, audienceCalls, workflowCalls, figureCalls].flatMap((of) =>
    of(ids),
  );

const answerSchema = z.object({ data: z.array(z.unknown()) });

function rowsIn(text: string): string {
  const { data } = answerSchema.safeParse(JSON.parse(text));
  return data === undefined ? '' : `${data.data.length} rows; `;
}

/** Measures each call as the dashboard makes it; the first one is not counted. */
export async function* measureCalls(
  url: string,
  headers: Record<string, string>,
  calls: readonly Call[],
  processes: Record<string, number>,
): AsyncGenerator<Figure> {
  for (const [work, path, body] of calls) {
    const call = async (): Promise<{ ms: number; text: string }> => {
      const startedAt = performance.now();
      const text = await fetchText(`${url}${path}`, { headers, body });
      return { ms: performance.now() - startedAt, text };
    };
    const first = await call();
    const cpu = measureCpu(processes);
    const times: number[] = [];
    for (const until = performance.now() + patienceMs; times.length < rounds && performance.now() < until; ) {
      times.push((await call()).ms);
    }
    const used = Object.entries(cpu(times.length)).filter(([name]) => name in processes);
    yield {
      work,
      value: percentile(times, 0.95),
      unit: 'ms',
      bar: { below: limitMs },
      note:
        `${rowsIn(first.text)}p50 ${percentile(times, 0.5).toFixed(1)} ms, first ${first.ms.toFixed(0)} ms; CPU ` +
        used.map(([name, micros]) => `${name} ${(micros / 1000).toFixed(1)} ms`).join(', '),
    };
  }
}
