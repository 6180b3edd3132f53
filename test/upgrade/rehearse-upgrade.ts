import { setTimeout as delay } from 'node:timers/promises';
import type { CleanUp } from '../../bench/clean-up.ts';
import { successOf } from '../setup/answer.ts';
import { startCountingSink } from '../setup/counting-sink.ts';
import { eventually } from '../setup/eventually.ts';
import { createTestSender, type TestSender } from '../setup/sender.ts';
import { startClients } from './clients.ts';
import { addressOf, createWorkflows, eventOf, type Wait } from './executions.ts';
import { findFaults, summarizeErrors } from './outcome.ts';
import { members, startUpgradeStage, type UpgradeStage } from './stage.ts';

export interface UpgradeOptions {
  /** Folder of the old version. */
  from: string;
  order: 'workers first' | 'api first';
  executions: number;
  recipients: number;
  say: (line: string) => void;
}

const patienceMs = 15 * 60_000;
/** Long enough for both versions to work on the same records. */
const sideBySideMs = 10_000;
const readerOf = (n: number) => `reader-${n}@example.org`;

/** @returns the faults found at the end, in sentences */
export async function rehearseUpgrade(options: UpgradeOptions, cleanUp: CleanUp): Promise<string[]> {
  const { say } = options;
  const stage = await startUpgradeStage(options.from, cleanUp);
  let isUpgraded = false;
  // The webhook call is being retried during the version change.
  const sink = await startCountingSink((_, before) => ({
    status: isUpgraded || before >= 3 ? 200 : 503,
    afterMs: 0,
  }));
  cleanUp(async () => sink.close());
  const sender = await createTestSender(stage.apiUrl);
  const waits = await createWorkflows(sender, sink.url);
  const campaigns = await startCampaigns(stage, sender, options.recipients);
  await startExecutions(stage, sender, waits, options.executions, () => sink.calls.size);
  say(
    `${waits.length * options.executions} executions wait, and two campaigns are under way. The new version comes.`,
  );

  const clients = startClients(sender);
  await replaceAll(stage, options);
  isUpgraded = true;
  const told = await clients.stop();
  say(
    `Meanwhile ${told.sentTo.length} emails and ${told.seen.length} events were accepted and ${told.reads} lists read; ${told.faults.length} answers were errors, ${told.withoutAnswer} requests got none.`,
  );
  for (const fault of told.faults.slice(0, 3)) say(fault);
  for (let n = 0; n < options.executions; n += 1) await track(sender, 'bought', addressOf('event', n));
  await settle(stage, say);

  const expected = new Map<string, number>();
  for (const wait of waits)
    for (let n = 0; n < options.executions; n += 1) expected.set(addressOf(wait, n), 1);
  for (let n = 0; n < options.recipients; n += 1) expected.set(readerOf(n), campaigns.length);
  for (const address of told.sentTo) expected.set(address, 1);
  for (const line of summarizeErrors(stage)) say(`Logged: ${line}`);
  return [...told.faults, ...(await findFaults(stage, expected, told.seen))];
}

const track = (sender: TestSender, event: string, email: string) =>
  successOf(sender.post('/v1/track', { event, email }));

async function startCampaigns(
  stage: UpgradeStage,
  sender: TestSender,
  recipients: number,
): Promise<string[]> {
  for (let n = 0; n < recipients; n += 500) {
    const emails = Array.from({ length: Math.min(500, recipients - n) }, (_, index) => readerOf(n + index));
    await stage.read(
      `insert into contacts (id, project_id, email) select uuidv7(), $1, email from unnest($2::text[]) email`,
      [sender.projectId, emails],
    );
  }
  const ids: string[] = [];
  const inAWhile = new Date(Date.now() + 4 * 60_000).toISOString();
  for (const scheduledFor of [undefined, inAWhile]) {
    const { data } = await successOf(
      sender.post('/campaigns', {
        name: 'News',
        subject: 'News',
        body: '<p>Hello</p>',
        from: `news@${sender.domain}`,
        audienceType: 'FILTERED',
        audienceCondition: {
          logic: 'AND',
          groups: [{ filters: [{ field: 'email', operator: 'contains', value: 'reader-' }] }],
        },
      }),
    );
    await successOf(sender.post(`/campaigns/${data.id}/send`, { scheduledFor }));
    ids.push(data.id);
  }
  await eventually(
    () => stage.read<{ sent: number }>(`select count(*)::int as sent from emails where sent_at is not null`),
    ([row]) => (row?.sent ?? 0) > 0,
  );
  return ids;
}

async function startExecutions(
  stage: UpgradeStage,
  sender: TestSender,
  waits: Wait[],
  count: number,
  countCalls: () => number,
): Promise<void> {
  for (const wait of waits) {
    for (let n = 0; n < count; n += 1) await track(sender, eventOf(wait), addressOf(wait, n));
  }
  await eventually(
    async () => {
      const [row] = await stage.read<{ waiting: number }>(
        `select count(*)::int as waiting from workflow_executions where status = 'WAITING'`,
      );
      return { waiting: row?.waiting ?? 0, calling: countCalls() };
    },
    ({ waiting, calling }) => waiting === (waits.length - 1) * count && calling === count,
    patienceMs,
  );
}

async function replaceAll(stage: UpgradeStage, { order, say }: UpgradeOptions): Promise<void> {
  const apis = async () => {
    for (const index of members) {
      await stage.replaceApi(index);
      say(`API ${index + 1} runs the new version.`);
      await delay(sideBySideMs);
    }
  };
  if (order === 'api first') await apis();
  for (const index of members) {
    await stage.replaceWorker(index);
    say(`Worker ${index + 1} runs the new version.`);
    await delay(sideBySideMs);
  }
  if (order === 'workers first') await apis();
  const [rest] = await stage.read<{ executions: number; emails: number }>(
    `select (select count(*)::int from workflow_executions where status in ('RUNNING', 'WAITING')) as executions,
       (select count(*)::int from emails where status = 'QUEUED') as emails`,
  );
  say(
    `All run the new version; ${rest?.executions} executions and ${rest?.emails} emails have waited for it.`,
  );
}

interface Rest {
  emails: number;
  campaigns: number;
  executions: number;
  commands: number;
}

/** Ends when no work is in progress, or when nothing has changed for a long time. */
async function settle(stage: UpgradeStage, say: (line: string) => void): Promise<void> {
  let said = '';
  let movedAt = Date.now();
  while (Date.now() - movedAt < patienceMs) {
    const [rest] = await stage.read<Rest>(
      `select (select count(*)::int from emails where status in ('QUEUED', 'SENDING', 'SENT', 'UNKNOWN')) as emails,
         (select count(*)::int from campaigns where status <> 'SENT') as campaigns,
         (select count(*)::int from workflow_executions where status in ('RUNNING', 'WAITING')) as executions,
         (select count(*)::int from outbox where dead_at is null) as commands`,
    );
    const now = JSON.stringify(rest);
    if (now !== said) {
      say(`In progress: ${now}`);
      movedAt = Date.now();
    }
    said = now;
    if (rest !== undefined && Object.values(rest).every((count) => count === 0)) return;
    await delay(10_000);
  }
  say('No more progress.');
}
