import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { BenchProcess } from './bench-process.ts';
import type { BenchStack } from './bench-stack.ts';
import { campaignContent } from './campaign-content.ts';
import { measureCpu } from './cpu-per-item.ts';

/** What campaigns are sent with: all processes of the product, and the provider. */
export interface CampaignStage {
  stack: BenchStack;
  api: BenchProcess & { port: number };
  ses: BenchProcess & { url: string };
  temporalPid: number;
  startWorker: () => Promise<BenchProcess>;
}

export interface CampaignRunOptions {
  recipients: number;
  latencyMs: number;
  /** Kills the worker with SIGKILL when so many emails were handed over, and starts another one. */
  killAt?: number;
  /** Called with everything in place, before the campaign. */
  before?: () => Promise<void>;
  /** Called while the campaign is sent, until `isOver`. */
  meanwhile?: (isOver: () => boolean) => Promise<void>;
}

export interface CampaignRun {
  /** From the send call to the last hand-over, those that a killed worker had in hand left out. */
  ratePerSecond: number;
  seconds: number;
  /** From the send call to the first hand-over. */
  firstAfterMs: number;
  /** Emails that a killed worker had claimed, and how long after the call the last of them was settled. */
  doubtful: { emails: number; sentAgain: number; settledAfterSeconds: number };
  /** From the kill of a worker until its successor polls, and until an email is handed over again. */
  restart: { readyAfterMs: number; resumedAfterMs: number };
  /** From the last hand-over until all events are applied. */
  eventsSeconds: number;
  /** Microseconds an email, by process. */
  cpu: Record<string, number>;
}

const healthSchema = z.object({ messages: z.number() });
const newestSchema = z.object({ messages: z.array(z.object({ receivedAt: z.coerce.date() })) });
const createdSchema = z.object({ data: z.object({ id: z.string() }) });
const patienceMs = 20 * 60 * 1000;
const pollMs = 100;
/** Without events for longer, what a killed worker had in hand would be given up. */
const longestHoldMs = 60_000;

/** Subscribed contacts of the stack's project, up to `count` of them. */
export async function fillContacts(stack: BenchStack, count: number): Promise<void> {
  const em = stack.orm.em.fork();
  await sql(
    em,
    `insert into contacts (id, project_id, email, data, created_at)
     select uuidv7(), $1, 'reader-' || n || '@example.com',
       jsonb_build_object('name', 'Reader ' || n, 'plan', (array['free', 'pro'])[1 + n % 2], 'city', 'City ' || n % 500,
         'since', '2024-05-01', 'score', n % 100),
       now() - make_interval(secs => 10)
     from generate_series((select count(*) + 1 from contacts where project_id = $1), $2) n`,
    [stack.project.id, count],
  );
  for (const table of ['contacts', 'emails', 'events', 'contact_event_stats']) {
    await sql(em, `vacuum analyze ${table}`);
  }
}

async function control(stage: CampaignStage, path: string, method: string, value?: unknown): Promise<void> {
  const answer = await fetch(`${stage.ses.url}${path}`, {
    method,
    ...(value !== undefined && { body: JSON.stringify(value) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
}

async function call(stage: CampaignStage, path: string, value: unknown): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${stage.api.port}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${stage.stack.project.secretKey}`,
    },
    body: JSON.stringify(value),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

interface Progress {
  total: number;
  /** In the hand of no run any more, or never were. */
  open: number;
  /** Claimed, and no word of them yet. */
  inHand: number;
  sent: number;
  delivered: number;
  messageIds: number;
  attempts: number;
}

async function progressOf(stage: CampaignStage, campaignId: string): Promise<Progress> {
  const [row] = await sql<Progress>(
    stage.stack.orm.em.fork(),
    `select count(*)::int as total, count(*) filter (where status = 'QUEUED')::int as open,
       count(*) filter (where status in ('SENDING', 'UNKNOWN'))::int as "inHand",
       count(sent_at)::int as sent, count(delivered_at)::int as delivered,
       count(distinct message_id)::int as "messageIds", coalesce(sum(attempts), 0)::int as attempts
     from emails where campaign_id = $1`,
    [campaignId],
  );
  if (row === undefined) throw new Error('No answer');
  return row;
}

async function messagesOf(stage: CampaignStage): Promise<number> {
  return healthSchema.parse(await (await fetch(`${stage.ses.url}/health`)).json()).messages;
}

/** Emails of the campaign that have left: other emails leave beside it. */
async function handedOver(stage: CampaignStage): Promise<number> {
  const answer = await fetch(`${stage.ses.url}/api/messages?to=reader-&limit=0`);
  return z.object({ total: z.number() }).parse(await answer.json()).total;
}

async function newestAt(stage: CampaignStage): Promise<number> {
  const answer = await fetch(`${stage.ses.url}/api/messages?to=reader-&limit=1`);
  return newestSchema.parse(await answer.json()).messages[0]?.receivedAt.getTime() ?? 0;
}

/** Lets the held events go, once. @returns when that was */
function holdEvents(stage: CampaignStage): { release: () => Promise<number> } {
  let releasedAt = 0;
  return {
    async release() {
      if (releasedAt > 0) return releasedAt;
      releasedAt = Date.now();
      await control(stage, '/api/events', 'PUT', { paused: false });
      return releasedAt;
    },
  };
}

interface Sending extends Pick<CampaignRunOptions, 'recipients' | 'killAt'> {
  worker: BenchProcess;
  startedAt: number;
  /** Called when events cannot be held back any longer. */
  release: () => Promise<number>;
}

/** Waits until everyone has the email but those whose emails a killed worker had in hand; kills it at its time. */
async function untilHandedOver(stage: CampaignStage, campaignId: string, sending: Sending) {
  const { recipients, killAt, startedAt } = sending;
  let { worker } = sending;
  let [firstAt, killedAt, readyAt, resumedAt] = [0, 0, 0, 0];

  /** Looking at all emails costs the database as much as sending a thousand, so it is for when nothing moves. */
  async function isOnlyDoubtLeft(): Promise<boolean> {
    const { open, total, inHand } = await progressOf(stage, campaignId);
    return open === 0 && total === recipients && inHand > 0 && Date.now() - (await newestAt(stage)) > 1_500;
  }

  for (let [messages, before] = [0, 0]; messages < recipients; before = messages) {
    await delay(pollMs);
    // Counting the campaign's own costs the provider more, so only once there may be enough of them.
    messages = await messagesOf(stage);
    if (messages >= recipients) messages = await handedOver(stage);
    if (messages > 0 && firstAt === 0) firstAt = Date.now();
    if (killAt !== undefined && killedAt === 0 && messages >= killAt) {
      killedAt = Date.now();
      process.kill(worker.pid, 'SIGKILL');
      await worker.stop();
      worker = await stage.startWorker();
      readyAt = Date.now();
      before = await messagesOf(stage);
      messages = before;
    } else if (killedAt > 0 && resumedAt === 0 && messages > before) resumedAt = Date.now();
    if (killedAt > 0 && Date.now() - killedAt > longestHoldMs) await sending.release();
    if (killedAt > 0 && messages === before && (await isOnlyDoubtLeft())) break;
    if (Date.now() - startedAt > patienceMs) throw new Error(`Only ${messages} of ${recipients} left`);
  }
  const restart = { readyAfterMs: readyAt - killedAt, resumedAfterMs: resumedAt - killedAt };
  return { worker, firstAt, killedAt, restart, lastAt: await newestAt(stage) };
}

/** Sends one campaign to everyone and measures it. @throws Error unless each recipient got it exactly once */
export async function runCampaign(stage: CampaignStage, options: CampaignRunOptions): Promise<CampaignRun> {
  const { recipients } = options;
  const worker = await stage.startWorker();
  await options.before?.();
  await control(stage, '/api/messages', 'DELETE');
  await control(stage, '/api/events', 'PUT', { paused: true });
  await control(stage, '/api/faults', 'PUT', { latencyMs: options.latencyMs });
  const { data } = createdSchema.parse(
    await call(stage, '/campaigns', {
      name: 'Bench',
      ...campaignContent,
      from: `news@${stage.stack.project.domain}`,
      audienceType: 'ALL',
    }),
  );
  const { stack, api, ses } = stage;
  const cpu = measureCpu({
    ...(options.killAt === undefined && { worker: worker.pid }),
    API: api.pid,
    Postgres: stack.postgresPid,
    Temporal: stage.temporalPid,
    SES: ses.pid,
  });
  const startedAt = Date.now();
  await call(stage, `/campaigns/${data.id}/send`, {});
  let isOver = false;
  const beside = options.meanwhile?.(() => isOver);
  const held = holdEvents(stage);
  const sent = await untilHandedOver(stage, data.id, {
    ...options,
    worker,
    startedAt,
    release: held.release,
  });
  isOver = true;
  await beside;
  const cpuUsed = cpu(recipients);
  const { inHand } = sent.killedAt > 0 ? await progressOf(stage, data.id) : { inHand: 0 };
  const seconds = (sent.lastAt - startedAt) / 1000;

  const releasedAt = await held.release();
  let settledAt = releasedAt;
  let end = await progressOf(stage, data.id);
  while (end.delivered < recipients && Date.now() - releasedAt < patienceMs) {
    await delay(500);
    end = await progressOf(stage, data.id);
    if (end.sent < recipients) settledAt = Date.now();
  }
  const eventsSeconds = (Date.now() - releasedAt) / 1000;
  const total = await handedOver(stage);
  await sent.worker.stop();
  if (total !== recipients || end.sent !== recipients || end.messageIds !== recipients) {
    throw new Error(`Not each once: ${total} in the inbox, ${JSON.stringify(end)}`);
  }
  return {
    ratePerSecond: (recipients - inHand) / seconds,
    seconds,
    firstAfterMs: sent.firstAt - startedAt,
    doubtful: {
      emails: inHand,
      sentAgain: end.attempts - recipients,
      settledAfterSeconds: (settledAt - startedAt) / 1000,
    },
    restart: sent.restart,
    eventsSeconds,
    cpu: cpuUsed,
  };
}
