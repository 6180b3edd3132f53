import { setTimeout as delay } from 'node:timers/promises';
import type { Client as TemporalClient } from '@temporalio/client';
import type pg from 'pg';
import { z } from 'zod';
import { scheduleIds } from '../temporal/client/schedules.ts';
import type { BenchProject } from './bench-stack.ts';
import { callApi } from './call-api.ts';
import { all } from './conditions.ts';
import type { DashboardRecords } from './dashboard-data.ts';
import { readInbox } from './inbox.ts';
import { createWorkflow } from './workflow-bench.ts';

export interface Stage {
  project: BenchProject;
  records: DashboardRecords;
  url: string;
  sesUrl: string;
  temporal: TemporalClient;
  /** A connection whose own statements are not logged. */
  database: pg.Client;
}

const patienceMs = 15 * 60_000;
const bodySchema = z.object({ data: z.object({ id: z.string() }) });
const idSchema = z.object({ id: z.string() });

const caller =
  ({ url, project }: Stage) =>
  (method: string, path: string, body?: object | FormData, key = project.secretKey) =>
    callApi(`${url}${path}`, { method, key, body });

/** @param condition SQL expression; true when the wait is over */
async function until({ database, project }: Stage, condition: string): Promise<void> {
  for (const startedAt = Date.now(); Date.now() - startedAt < patienceMs; await delay(500)) {
    const { rows } = await database.query(`select (${condition}) as over`, [project.id]);
    if (rows[0]?.over) return;
  }
  throw new Error(`Timed out: ${condition}`);
}

async function addressesOf({ database, project }: Stage, count: number) {
  const { rows } = await database.query<{ id: string; email: string }>(
    `select id, email from contacts where project_id = $1 and subscribed and snoozed_until is null order by id limit $2`,
    [project.id, count],
  );
  return rows;
}

/**
 * Runs everything that a project does on hot paths, some dozens of times: none of it may cost more in a larger project.
 */
export async function useHotPaths(stage: Stage): Promise<{ workflowId: string }> {
  const { records, project } = stage;
  const call = caller(stage);
  const contacts = await addressesOf(stage, 60);
  const known = contacts.map(({ email }) => email);
  const unknown = Array.from({ length: 20 }, (_, n) => `new-${n}@example.com`);
  const workflowId = await createWorkflow({ call }, 'order placed', [
    { type: 'SEND_EMAIL', config: { templateId: records.templateId } },
    { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 30 * 86_400 } },
    { type: 'EXIT', config: {} },
  ]);
  await addTrackedSegments(stage, known);
  const track = (email: string, event: string) =>
    call('POST', '/v1/track', { email, event, data: { plan: 'pro', orders: 3 } }, project.publicKey);
  for (const event of ['order placed', 'product viewed', 'paid']) {
    await Promise.all([...known, ...unknown].map((email) => track(email, event)));
  }
  for (const to of [...known, ...unknown]) {
    const code = { value: '1234', persistent: false };
    const from = `hello@${project.domain}`;
    await call('POST', '/v1/send', {
      to,
      from,
      subject: 'Your code',
      body: '<p>{{ code }}</p>',
      data: { code },
    });
  }
  await until(
    stage,
    `not exists (select from emails where project_id = $1 and status in ('QUEUED', 'SENDING') and created_at > now() - interval '1 hour')`,
  );
  await reactToEmails(stage);
  await changeContacts(stage, contacts);
  return { workflowId };
}

async function addTrackedSegments(stage: Stage, members: readonly string[]): Promise<void> {
  const call = caller(stage);
  const fixed = idSchema.parse(await call('POST', '/segments', { name: 'Few', type: 'STATIC' }));
  await call('POST', `/segments/${fixed.id}/members`, { emails: members });
  const conditions = [
    all(
      { field: 'data.plan', operator: 'equals', value: 'pro' },
      { field: 'data.orders', operator: 'greaterThan', value: 2 },
    ),
    all({ field: 'event.order placed', operator: 'triggeredWithin', value: 7 }),
    all({ field: 'event.product viewed', operator: 'countGreaterThan', value: 2, within: 30 }),
    all(
      { field: `segment.${fixed.id}`, operator: 'memberOfSegment' },
      { field: 'event.paid', operator: 'notTriggered' },
    ),
    all({ field: 'data.lastSeen', operator: 'within', value: 30 }),
  ];
  for (const [n, condition] of conditions.entries()) {
    await call('POST', '/segments', { name: `Tracked ${n}`, condition, trackMembership: true });
  }
  await stage.temporal.schedule.getHandle('segments/computation').trigger();
  await until(
    stage,
    `not exists (select from segments where project_id = $1 and track_membership and not is_current)`,
  );
  for (const audience of [
    { audienceType: 'SEGMENT', segmentId: fixed.id },
    {
      audienceType: 'FILTERED',
      audienceCondition: all({ field: 'data.address.zip', operator: 'equals', value: '12345' }),
    },
  ]) {
    const campaign = {
      name: 'News',
      subject: 'News',
      body: '<p>News</p>',
      from: `news@${stage.project.domain}`,
      ...audience,
    };
    const { data } = bodySchema.parse(await call('POST', '/campaigns', campaign));
    await call('POST', `/campaigns/${data.id}/send`, {});
  }
  await until(stage, `not exists (select from campaigns where project_id = $1 and status = 'SENDING')`);
}

/** Opens, clicks, bounces and complaints, as notified by the provider. */
async function reactToEmails({ sesUrl }: Stage): Promise<void> {
  const { messages } = await readInbox(sesUrl, { limit: 20 });
  for (const [n, { id }] of messages.entries()) {
    const type = ['open', 'click', 'click', 'bounce', 'complaint'][n % 5];
    const body = JSON.stringify({ type, ...(type === 'click' && { link: 'https://example.com/1' }) });
    await fetch(`${sesUrl}/api/messages/${id}/events`, { method: 'POST', body });
  }
}

async function changeContacts(
  stage: Stage,
  contacts: readonly { id: string; email: string }[],
): Promise<void> {
  const call = caller(stage);
  const ids = contacts.map(({ id }) => id);
  await call('PATCH', `/contacts/${ids[0]}`, { data: { plan: 'free' } });
  await call('POST', '/contacts', { email: 'one-more@example.com', data: { plan: 'free' } });
  await call('POST', '/contacts/bulk-unsubscribe', { contactIds: ids.slice(5, 10) });
  await call('POST', '/contacts/bulk-delete', { contactIds: ids.slice(1, 4) });
  await call('DELETE', `/contacts/${ids[4]}`);
  const form = new FormData();
  const rows = Array.from({ length: 50 }, (_, n) => `imported-${n}@example.com,pro`);
  form.append(
    'file',
    new Blob([['email,plan', ...rows, ''].join('\n')], { type: 'text/csv' }),
    'contacts.csv',
  );
  await call('POST', '/contacts/import', form);
  await until(
    stage,
    `not exists (select from jobs where project_id = $1 and state not in ('completed', 'failed'))`,
  );
}

/** Runs each sweep and the rounds of segments. */
export async function runRounds({ temporal }: Stage): Promise<void> {
  for (const id of scheduleIds) await temporal.schedule.getHandle(id).trigger();
  for (const startedAt = Date.now(); Date.now() - startedAt < patienceMs; ) {
    await delay(3_000);
    const query = `ExecutionStatus = 'Running' and JobKind in ('sweep', 'segments')`;
    if ((await temporal.workflow.count(query)).count === 0) return;
  }
  throw new Error('The sweeps did not end in time');
}

export async function readLists(
  { url }: Stage,
  session: Record<string, string>,
  calls: readonly (readonly [work: string, path: string, body?: object])[],
): Promise<void> {
  for (const [work, path, body] of calls) {
    const headers = { ...session, ...(body && { 'Content-Type': 'application/json' }) };
    const answer = await fetch(`${url}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    if (!answer.ok) console.log(`    ${work}: ${answer.status}`);
  }
}
