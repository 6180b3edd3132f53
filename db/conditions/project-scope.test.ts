import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Condition } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { forgetEventStatistics } from '../../test/setup/forget-event-statistics.ts';
import { audienceQuery, type Reach } from './audience-query.ts';
import { compileCondition } from './testing/compile-condition.ts';
import { storeContacts, type TestContact } from './testing/stored-contacts.ts';

const now = new Date('2024-03-10T12:00:00.000Z');
const [own, foreign] = [newId(), newId()];
const ownContacts = 20;
const [campaign, foreignCampaign] = [newId(), newId()];

const planSchema = z.object({
  'Node Type': z.string(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  get Plans() {
    return z.array(planSchema).default([]);
  },
});
type Plan = z.infer<typeof planSchema>;

const { em, sql } = useTestDatabase(2);
const contact = (index: number, campaignId: string): TestContact => ({
  email: `contact-${index}@example.com`,
  subscribed: index % 2 === 0,
  createdAt: new Date(now.getTime() - index * 60_000),
  updatedAt: now,
  snoozedUntil: null,
  data: { plan: 'pro', seen: '2024-03-01' },
  events: { e: [new Date(now.getTime() - index * 60_000), now], f: [now] },
  segments: [],
  campaigns: { [campaignId]: index % 2 === 0 ? ['sent'] : ['sent', 'opened'] },
});

beforeAll(async () => {
  await storeContacts(
    em(),
    foreign,
    Array.from({ length: 5_000 }, (_, index) => contact(index, foreignCampaign)),
  );
  await storeContacts(
    em(),
    own,
    Array.from({ length: ownContacts }, (_, index) => contact(index, campaign)),
  );
  await sql('analyze contacts, contact_event_stats, events, emails');
});

const event = (operator: string, more: object = {}) => ({ field: 'event.e', operator, ...more });
const plan = { field: 'data.plan', operator: 'equals', value: 'pro' };
const ofCampaign = (operator: string, id = campaign) => ({ field: `campaign.${id}`, operator });
const anyOf = (groups: object[][]): Condition => {
  const parsed = parseCondition({ logic: 'OR', groups: groups.map((filters) => ({ filters })) });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.condition;
};
const counted = event('countGreaterThan', { value: 1, within: 30 });

it.each([
  ['a filter on data', [[plan, { field: 'data.seen', operator: 'within', value: 90 }]]],
  ['an event', [[event('triggered')]]],
  ['no event', [[event('notTriggered')]]],
  [
    'an event or data',
    [[event('triggeredWithin', { value: 1 })], [plan], [{ ...event('triggered'), field: 'event.f' }]],
  ],
  ['a count in a window', [[counted, plan]]],
  ['who opened a campaign', [[ofCampaign('opened')]]],
  ['who was sent a campaign and did not open it', [[ofCampaign('sent'), ofCampaign('notOpened')]]],
  ['who was not sent a campaign, or data', [[ofCampaign('notSent')], [plan]]],
  ['a count in a window or not', [[counted], [event('countLessThan', { value: 9, within: 9 })]]],
])('reads no row of another project: %s', async (_name, groups) => {
  const condition = anyOf(groups);
  for (const reach of ['few', 'all'] as const) {
    const read = await readBy(condition, reach, own, 'contacts c where c.project_id = $1 and');
    expect(read.length).toBeGreaterThan(0);
    // Two events each; a look-up per contact is one of 20 loops.
    for (const scan of read) expect(scan.rows).toBeLessThanOrEqual(2 * ownContacts);
  }
});

it('matches no email of a campaign of another project', async () => {
  const asked = { projectId: newId(), now, segmentMembership: () => 'false' };
  const contactIds = await storeContacts(em(), asked.projectId, [contact(1, foreignCampaign)]);
  const { sql: test, parameters } = compileCondition(
    anyOf([[ofCampaign('opened', foreignCampaign)]]),
    asked,
    [],
  );
  const find = () => sql(`select c.id from contacts c where ${test}`, parameters);
  expect(await find()).toEqual(contactIds.map((id) => ({ id })));
  await sql('update emails set project_id = $1 where contact_id = any($2)', [foreign, contactIds]);
  expect(await find()).toEqual([]);
});

it('looks up the events of given contacts, even if Postgres expects few events of the project', async () => {
  await forgetEventStatistics(sql);
  const given = `unnest(array(select id from contacts where project_id = $1 limit 10)) given (id)
    cross join lateral (select * from contacts c where c.id = given.id offset 0) c where`;
  for (const filters of [
    [event('triggered')],
    [event('notTriggered')],
    [event('countGreaterThan', { value: 1 })],
    [ofCampaign('opened', foreignCampaign)],
    [ofCampaign('notOpened', foreignCampaign)],
  ]) {
    const condition = anyOf([filters, [plan]]);
    const read = await readBy(condition, 'given', foreign, given);
    for (const scan of read) expect(scan.rows, JSON.stringify(scan)).toBeLessThanOrEqual(10);
  }
});

/** @param source `from` clause of contacts `c`, up to the condition */
async function readBy(condition: Condition, reach: Reach, projectId: string, source: string) {
  const asked = { projectId, now, reach, segmentMembership: () => 'false' };
  const { sql: test, parameters } = compileCondition(condition, asked, [projectId]);
  const rows = await audienceQuery(
    em(),
    reach,
    z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.unknown() })]) }),
    `explain (analyze, format json) select count(*) from ${source} ${test}`,
    parameters,
  );
  return scansOf(planSchema.parse(rows[0]?.['QUERY PLAN'][0].Plan));
}

/** Rows that each scan of a table or index touched, over all its loops. */
function scansOf(node: Plan): { type: string; rows: number }[] {
  const below = node.Plans.flatMap(scansOf);
  if (!node['Node Type'].includes('Scan') || node['Node Type'] === 'Subquery Scan') return below;
  const rows = (node['Actual Rows'] + node['Rows Removed by Filter']) * node['Actual Loops'];
  return [{ type: node['Node Type'], rows }, ...below];
}
