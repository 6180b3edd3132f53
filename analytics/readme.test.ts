import { readFileSync } from 'node:fs';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../test/setup/clickhouse.ts';
import { eventTable } from './tables/event.ts';
import { type EventInsertRow, toEventLine } from './testing/event-row.ts';

const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const queries = new Map(
  [...text.matchAll(/^### ([^\n]+)\n(?:(?!^###)[\s\S])*?```sql\n([\s\S]*?)```/gm)].map(([, title, sql]) => [
    title ?? '',
    sql ?? '',
  ]),
);

const clickhouse = useTestClickHouse();
beforeAll(async () => {
  // Everything twice, in separate parts, as the journal may deliver it.
  for (let n = 0; n < 2; n += 1) {
    await clickhouse.insert(eventTable, [...life(), ...ofOthers].map(toEventLine).join('\n'));
  }
});

/** Ids ascend, so that the order of lists by id is known. */
const monday = Date.parse('2026-03-02T08:00:00.000Z');
let made = 0;
const id = () => {
  made += 1;
  return uuidv7({ msecs: monday + made });
};
const projectId = id();
const [ann, ben, cat, dan] = [id(), id(), id(), id()];
const [spring, summer, welcome] = [id(), id(), id()];

type EventFields = Pick<EventInsertRow, 'name'> & Partial<EventInsertRow>;

/** @param hours since the Monday of the first week, at eight. */
const at = (hours: number, seconds = 0) => new Date(monday + hours * 3_600_000 + seconds * 1000);

function event(fields: EventFields): EventInsertRow {
  return {
    projectId,
    eventId: id(),
    occurredAt: at(1),
    kind: 'emitted',
    activityType: '',
    contactId: null,
    emailId: null,
    campaignId: null,
    workflowId: null,
    data: {},
    ...fields,
  };
}

const activities: Record<string, string> = {
  'email.sent': 'email.sent',
  'email.delivery': 'email.delivered',
  'email.open': 'email.opened',
  'email.click': 'email.clicked',
  'email.bounce': 'email.bounced',
  'email.complaint': 'email.complained',
};

/** An email and its events, some seconds after the hand-over. */
function email(
  contactId: string,
  domain: string,
  origin: { campaignId?: string; workflowId?: string },
  hours: number,
  events: [seconds: number, name: string, data?: Record<string, unknown>][],
): EventInsertRow[] {
  const emailId = id();
  const source =
    origin.campaignId !== undefined
      ? 'CAMPAIGN'
      : origin.workflowId !== undefined
        ? 'WORKFLOW'
        : 'TRANSACTIONAL';
  return events.map(([seconds, name, data]) =>
    event({
      name,
      kind: name === 'email.unsubscribed' ? 'activity' : 'emitted',
      activityType: activities[name] ?? '',
      occurredAt: at(hours, seconds),
      contactId,
      emailId,
      ...origin,
      data: { emailId, recipientDomain: domain, sourceType: source, ...data },
    }),
  );
}

const first = { isFirst: true, countsAsOpen: true };
const never = '2299-12-31T23:59:59.999Z';
const day = 86_400;
const shop = 'https://shop.example/';
const tracked = (contactId: string, hours: number) =>
  event({
    name: 'order placed',
    kind: 'tracked',
    activityType: 'event.tracked',
    contactId,
    occurredAt: at(hours),
  });
const flip = (name: string, contactId: string, hours: number) =>
  event({ name, activityType: name, contactId, occurredAt: at(hours) });
const workflow = (name: string, contactId: string, hours: number) =>
  event({
    name,
    kind: 'activity',
    activityType: name,
    contactId,
    workflowId: welcome,
    occurredAt: at(hours),
  });

let told: EventInsertRow[] | undefined;
/** Three weeks of a project. */
function life(): EventInsertRow[] {
  told ??= [
    ...email(ann, 'gmail.com', { campaignId: spring }, 1, [
      [0, 'email.sent'],
      [2, 'email.delivery'],
      [100, 'email.open', { opens: 1, ...first }],
      [160, 'email.click', { link: `${shop}a`, clicks: 1, isFirst: true }],
      [190, 'email.click', { link: `${shop}a`, clicks: 2, isFirst: false }],
      [200, 'email.click', { link: `${shop}b`, clicks: 3, isFirst: false }],
    ]),
    ...email(ben, 'gmail.com', { campaignId: spring }, 1, [
      [0, 'email.sent'],
      [3, 'email.delivery'],
      [900, 'email.complaint'],
    ]),
    ...email(cat, 'web.de', { campaignId: spring }, 1, [
      [0, 'email.sent'],
      [5, 'email.bounce', { bounceType: 'Transient' }],
      [9, 'email.bounce', { bounceType: 'Permanent' }],
    ]),
    ...email(dan, 'web.de', {}, 30, [
      [0, 'email.sent'],
      [1, 'email.delivery'],
      [300, 'email.click', { link: `${shop}b`, clicks: 1, ...first }],
    ]),
    ...email(ann, 'gmail.com', { workflowId: welcome }, 180, [
      [0, 'email.sent'],
      [2, 'email.delivery'],
      [500, 'email.open', { opens: 1, ...first }],
    ]),
    ...email(ben, 'gmail.com', { campaignId: summer }, 200, [
      [0, 'email.sent'],
      [2, 'email.delivery'],
      [60, 'email.unsubscribed'],
    ]),
    // Handed over before the period, at its end and opened later, and after it.
    ...email(dan, 'web.de', {}, -240, [
      [0, 'email.sent'],
      [12 * day, 'email.open', { opens: 1, ...first }],
    ]),
    ...email(dan, 'web.de', {}, 696, [
      [0, 'email.sent'],
      [20 * day, 'email.open', { opens: 1, ...first }],
    ]),
    ...email(dan, 'web.de', {}, 744, [
      [0, 'email.sent'],
      [day, 'email.open', { opens: 1, ...first }],
    ]),
    event({
      name: 'email.suppressed',
      kind: 'activity',
      activityType: 'email.bounced',
      contactId: cat,
      emailId: id(),
      campaignId: summer,
      occurredAt: at(200),
      data: { bounceType: 'Suppressed', reason: 'the address bounced before' },
    }),
    flip('contact.subscribed', ann, 0),
    flip('contact.subscribed', ben, 1),
    flip('contact.subscribed', dan, 26),
    flip('contact.unsubscribed', ben, 201),
    flip('contact.unsubscribed', cat, 201),
    workflow('workflow.started', ann, 2),
    workflow('workflow.started', ann, 300),
    workflow('workflow.completed', ann, 181),
    workflow('workflow.started', ben, 2),
    workflow('workflow.started', dan, 170),
    tracked(ann, 3),
    tracked(ann, 4),
    tracked(ben, 5),
    tracked(ann, 170),
    tracked(dan, 171),
    // Another contact from before the period.
    tracked(cat, -900),
  ];
  return told;
}

const ofOthers = [
  event({ name: 'order placed', kind: 'tracked', projectId: uuidv7(), contactId: ann }),
  event({
    name: 'email.sent',
    activityType: 'email.sent',
    projectId: uuidv7(),
    emailId: uuidv7(),
    data: { recipientDomain: 'gmail.com', sourceType: 'CAMPAIGN' },
  }),
];

const annsFirst = life()[0]?.emailId ?? '';

const parameters = {
  projectId,
  since: '2026-03-01 00:00:00.000',
  until: '2026-04-01 00:00:00.000',
  timezone: 'Asia/Kolkata',
  workflowId: welcome,
  minEmails: 2,
  emailId: annsFirst,
};

const answers: Record<string, Record<string, unknown>[]> = {
  'Deliverability by domain': [
    { domain: 'gmail.com', sent: 4, delivered: 4, bounced: 0, complained: 1, delivery_rate: 100 },
    { domain: 'web.de', sent: 3, delivered: 1, bounced: 1, complained: 0, delivery_rate: 33.33 },
  ],
  // 8:00, 9:00, 14:00 and 20:00 UTC are 13:30, 14:30, 19:30 and 1:30 there.
  'Engagement by hour': [
    { hour: 1, opened: 1, clicked: 0 },
    { hour: 13, opened: 1, clicked: 0 },
    { hour: 14, opened: 1, clicked: 1 },
    { hour: 19, opened: 1, clicked: 1 },
  ],
  'Cohort of a workflow': [
    { week: '2026-03-02', started: 2, completed: 1, opened: 1, clicked: 0 },
    { week: '2026-03-09', started: 1, completed: 0, opened: 0, clicked: 0 },
  ],
  'Bounce reasons': [
    { bounce_type: 'Permanent', reason: '', emails: 1, contacts: 1 },
    { bounce_type: 'Suppressed', reason: 'the address bounced before', emails: 1, contacts: 1 },
    { bounce_type: 'Transient', reason: '', emails: 1, contacts: 1 },
  ],
  'List growth': [
    { day: '2026-03-02', subscribed: 2, unsubscribed: 0, growth: 2 },
    { day: '2026-03-03', subscribed: 1, unsubscribed: 0, growth: 3 },
    { day: '2026-03-10', subscribed: 0, unsubscribed: 2, growth: 1 },
  ],
  'Time to open': [{ opened: 4, median_seconds: 500, p90_seconds: 20 * day }],
  'One email': [
    {
      sent_at: at(1).toISOString(),
      delivered_at: at(1, 2).toISOString(),
      opened_at: at(1, 100).toISOString(),
      clicked_at: at(1, 160).toISOString(),
      bounced_at: never,
      complained_at: never,
    },
  ],
  'Top links': [
    { link: `${shop}a`, clicks: 2, emails: 1 },
    { link: `${shop}b`, clicks: 2, emails: 2 },
  ],
  'Complaint rate by campaign': [
    { campaign_id: spring, sent: 3, complained: 1, opted_out: 0, complaint_rate: 33.333 },
    { campaign_id: summer, sent: 1, complained: 0, opted_out: 1, complaint_rate: 0 },
  ],
  'Funnel by source': [
    { source: 'CAMPAIGN', sent: 4, delivered: 3, opened: 1, clicked: 1 },
    { source: 'TRANSACTIONAL', sent: 2, delivered: 1, opened: 2, clicked: 1 },
    { source: 'WORKFLOW', sent: 1, delivered: 1, opened: 1, clicked: 0 },
  ],
  'Silent contacts': [{ contact_id: ben, emails: 2, last_sent_at: at(200).toISOString() }],
  'Weekly active contacts': [
    { week: '2026-03-02', active: 2, new: 2 },
    { week: '2026-03-09', active: 2, new: 1 },
  ],
};

describe('the queries for analysts', () => {
  it.each([...queries])('%s', async (title, sql) => {
    const used = Object.entries(parameters).filter(([name]) => sql.includes(`{${name}:`));
    const question = { name: title, sql, row: z.record(z.string(), z.unknown()) };
    expect(await clickhouse.query(question, Object.fromEntries(used))).toEqual(answers[title]);
  });

  it('are at least ten, each for one project and with a known answer', () => {
    expect([...queries.keys()].toSorted()).toEqual(Object.keys(answers).toSorted());
    expect(queries.size).toBeGreaterThanOrEqual(10);
    for (const sql of queries.values()) expect(sql).toContain('project_id = {projectId:UUID}');
  });

  it('about one email reads only its project through the index of the events', async () => {
    const plan = await clickhouse.query(
      {
        name: 'plan',
        sql: `EXPLAIN indexes = 1 ${queries.get('One email')}`,
        row: z.object({ explain: z.string() }),
      },
      { projectId, emailId: annsFirst },
    );
    const lines = plan.map(({ explain }) => explain.trim()).join('\n');
    expect(lines).toMatch(/PrimaryKey\nKeys:\nproject_id\n/);
  });
});

describe('the tables for analysts', () => {
  it('are described with all of their columns', async () => {
    const columns = await clickhouse.query(
      {
        name: 'columns',
        sql: `SELECT table, name FROM system.columns
          WHERE database = currentDatabase() AND table IN ('event', 'figure', 'email', 'event_name', 'day_change')`,
        row: z.object({ table: z.string(), name: z.string() }),
      },
      {},
    );
    const missing = columns.filter(({ table, name }) => {
      const [, section] = text.split(`### \`${table}\``);
      return section?.split('\n### ')[0]?.includes(`\`${name}\``) !== true;
    });
    expect(missing).toEqual([]);
  });
});
