import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../db/testing/sql.ts';
import type { BenchProcess } from './bench-process.ts';
import type { BenchStack } from './bench-stack.ts';
import { callApi, fetchText } from './call-api.ts';
import { campaignContent } from './campaign-content.ts';
import { measureCpu } from './cpu-per-item.ts';
import { readInbox } from './inbox.ts';

type LocalSes = BenchProcess & { url: string };

export interface CampaignStage {
  stack: BenchStack;
  api: BenchProcess & { port: number };
  temporalPid: number;
  startSes: () => Promise<LocalSes>;
  startWorker: () => Promise<BenchProcess>;
}

export interface CampaignRunOptions {
  recipients: number;
  latencyMs: number;
  /** Kills the worker with SIGKILL after this many hand-overs, and starts another one. */
  killAt?: number;
  /** A second worker runs from the beginning and takes over, instead of one that starts after the kill. */
  withStandby?: boolean;
  /** When false, the provider's events are dropped. */
  withEvents?: boolean;
  before?: (ses: LocalSes) => Promise<void>;
  meanwhile?: (ses: LocalSes, isOver: () => boolean) => Promise<void>;
}

export interface CampaignRun {
  /** From the send call to the last hand-over, excluding emails that a killed worker had claimed. */
  ratePerSecond: number;
  seconds: number;
  /** From the send call to the beginning of the first hand-over. */
  firstAfterMs: number;
  /** Emails that a killed worker had claimed, and the time from the call until the last of them was settled. */
  doubtful: { emails: number; sentAgain: number; settledAfterSeconds: number };
  /** From the kill of a worker until its successor polls, and until hand-overs resume. */
  restart: { readyAfterMs: number; resumedAfterMs: number };
  /** From the last hand-over until all events are applied; null without events. */
  events: AppliedEvents | null;
  /** Microseconds per email, by process. */
  cpu: Record<string, number>;
}

export interface AppliedEvents {
  seconds: number;
  count: number;
  /** Microseconds per event, by process. */
  cpu: Record<string, number>;
}

const healthSchema = z.object({ messages: z.number() });
const queuedSchema = z.object({ queued: z.int() });
const createdSchema = z.object({ data: z.object({ id: z.string() }) });
const patienceMs = 20 * 60 * 1000;
const pollMs = 100;
/** If events are held for longer, emails claimed by a killed worker would be given up. */
const longestHoldMs = 60_000;

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
    // Statistics of an empty table, which no new installation has, would give the first statements other plans.
    const [row] = await sql<{ isFilled: boolean }>(em, `select exists (select from ${table}) as "isFilled"`);
    if (row?.isFilled) await sql(em, `vacuum analyze ${table}`);
  }
}

export async function control(ses: Pick<LocalSes, 'url'>, path: string, body: object): Promise<void> {
  await fetchText(`${ses.url}${path}`, { method: 'PUT', body });
}

const post = ({ api, stack }: CampaignStage, path: string, body: object): Promise<unknown> =>
  callApi(`http://127.0.0.1:${api.port}${path}`, { key: stack.project.secretKey, body });

interface Progress {
  total: number;
  open: number;
  inHand: number;
  sent: number;
  delivered: number;
  messageIds: number;
  attempts: number;
  /** When the first hand-over began. */
  firstAt: Date | null;
}

async function progressOf(stage: CampaignStage, campaignId: string): Promise<Progress> {
  const [row] = await sql<Progress>(
    stage.stack.orm.em.fork(),
    `select count(*)::int as total, count(*) filter (where status = 'QUEUED')::int as open,
       count(*) filter (where status in ('SENDING', 'UNKNOWN'))::int as "inHand",
       count(sent_at)::int as sent, count(delivered_at)::int as delivered,
       count(distinct message_id)::int as "messageIds", coalesce(sum(attempts), 0)::int as attempts,
       min(sent_at) as "firstAt"
     from emails where campaign_id = $1`,
    [campaignId],
  );
  if (row === undefined) throw new Error('No answer');
  return row;
}

async function messagesOf({ url }: LocalSes): Promise<number> {
  return healthSchema.parse(await callApi(`${url}/health`)).messages;
}

/** Events not yet answered with 200. */
async function queuedEventsOf({ url }: LocalSes): Promise<number> {
  return queuedSchema.parse(await callApi(`${url}/api/events`)).queued;
}

async function handedOver({ url }: LocalSes): Promise<number> {
  return (await readInbox(url, { to: 'reader-', limit: 0 })).total;
}

async function newestAt({ url }: LocalSes): Promise<number> {
  const { messages } = await readInbox(url, { to: 'reader-', limit: 1 });
  return messages[0]?.receivedAt.getTime() ?? 0;
}

/** Holds events until `release`, which works once. @returns when they were released */
function holdEvents(ses: LocalSes): { release: () => Promise<number> } {
  let releasedAt = 0;
  return {
    async release() {
      if (releasedAt > 0) return releasedAt;
      releasedAt = Date.now();
      await control(ses, '/api/events', { paused: false });
      return releasedAt;
    },
  };
}

interface Sending extends Pick<CampaignRunOptions, 'recipients' | 'killAt'> {
  ses: LocalSes;
  worker: BenchProcess;
  standby: BenchProcess | undefined;
  startedAt: number;
  release: () => Promise<number>;
}

/**
 * Waits until all emails are handed over except those that a killed worker had claimed; kills the worker at `killAt`.
 */
async function untilHandedOver(stage: CampaignStage, campaignId: string, sending: Sending) {
  const { recipients, killAt, ses, startedAt } = sending;
  let worker = Promise.resolve(sending.worker);
  let [killedAt, readyAt, resumedAt] = [0, 0, 0];

  /** Counting all emails costs the database as much as sending a thousand, so it is done only when nothing moves. */
  async function isOnlyDoubtLeft(): Promise<boolean> {
    const { open, total, inHand } = await progressOf(stage, campaignId);
    return open === 0 && total === recipients && inHand > 0 && Date.now() - (await newestAt(ses)) > 1_500;
  }

  for (let [messages, before] = [0, 0]; messages < recipients; before = messages) {
    await delay(pollMs);
    // Counting only this campaign's messages costs the provider more, so do it only when there may be enough.
    messages = await messagesOf(ses);
    if (messages >= recipients) messages = await handedOver(ses);
    if (killAt !== undefined && killedAt === 0 && messages >= killAt) {
      killedAt = Date.now();
      process.kill(sending.worker.pid, 'SIGKILL');
      await sending.worker.stop();
      worker = sending.standby ? Promise.resolve(sending.standby) : stage.startWorker();
      // Not awaited: it hands over before it is ready.
      worker.then(
        () => {
          readyAt = Date.now();
        },
        () => undefined,
      );
      // The last calls of the killed worker may still arrive.
      await delay(pollMs);
      messages = await messagesOf(ses);
    } else if (killedAt > 0 && resumedAt === 0 && messages > before) resumedAt = Date.now();
    if (killedAt > 0 && Date.now() - killedAt > longestHoldMs) await sending.release();
    if (resumedAt > 0 && messages === before && (await isOnlyDoubtLeft())) break;
    if (Date.now() - startedAt > patienceMs) throw new Error(`Only ${messages} of ${recipients} left`);
  }
  const lastAt = await newestAt(ses);
  const last = await worker;
  const restart = { readyAfterMs: readyAt - killedAt, resumedAfterMs: resumedAt - killedAt };
  return { worker: last, killedAt, restart, lastAt };
}

interface Settling extends Pick<CampaignRunOptions, 'recipients' | 'withEvents'> {
  ses: LocalSes;
  isKilled: boolean;
  release: () => Promise<number>;
}

/** Releases the events and waits until all are applied; without events, until all emails are recorded. */
async function untilSettled(stage: CampaignStage, campaignId: string, settling: Settling) {
  const { recipients, withEvents, ses, isKilled, release } = settling;
  const { api, stack } = stage;
  const count = await queuedEventsOf(ses);
  const cpu = measureCpu({ API: api.pid, Postgres: stack.postgresPid, SES: ses.pid });
  const releasedAt = withEvents ? await release() : Date.now();
  let settledAt = releasedAt;
  let end = await progressOf(stage, campaignId);
  const isSettled = () => (withEvents ? end.delivered : end.sent) >= recipients;
  while (!isSettled() && Date.now() - releasedAt < patienceMs) {
    await delay(isKilled ? 500 : pollMs);
    // Counting all emails takes the database as long as applying hundreds of events.
    if (withEvents && !isKilled && (await queuedEventsOf(ses)) > 0) continue;
    end = await progressOf(stage, campaignId);
    if (end.sent < recipients) settledAt = Date.now();
  }
  const seconds = (Date.now() - releasedAt) / 1000;
  const events: AppliedEvents | null = withEvents ? { seconds, count, cpu: cpu(count) } : null;
  return { end, settledAt, events };
}

async function createCampaign(stage: CampaignStage): Promise<string> {
  const from = `news@${stage.stack.project.domain}`;
  const answer = await post(stage, '/campaigns', {
    name: 'Bench',
    ...campaignContent,
    from,
    audienceType: 'ALL',
  });
  return createdSchema.parse(answer).data.id;
}

/** @throws Error unless each recipient got the email exactly once */
export async function runCampaign(stage: CampaignStage, options: CampaignRunOptions): Promise<CampaignRun> {
  const { recipients } = options;
  const [ses, worker] = [await stage.startSes(), await stage.startWorker()];
  const standby = options.withStandby ? await stage.startWorker() : undefined;
  await options.before?.(ses);
  await control(ses, '/api/events', { paused: true });
  await control(ses, '/api/faults', { latencyMs: options.latencyMs });
  const campaignId = await createCampaign(stage);
  const { stack, api } = stage;
  const cpu = measureCpu({
    ...(options.killAt === undefined && { worker: worker.pid }),
    API: api.pid,
    Postgres: stack.postgresPid,
    Temporal: stage.temporalPid,
    SES: ses.pid,
  });
  const startedAt = Date.now();
  await post(stage, `/campaigns/${campaignId}/send`, {});
  let isOver = false;
  const beside = options.meanwhile?.(ses, () => isOver);
  const held = holdEvents(ses);
  const sent = await untilHandedOver(stage, campaignId, {
    ...options,
    ses,
    worker,
    standby,
    startedAt,
    release: held.release,
  });
  isOver = true;
  await beside;
  const cpuUsed = cpu(recipients);
  const { inHand } = sent.killedAt > 0 ? await progressOf(stage, campaignId) : { inHand: 0 };
  const seconds = (sent.lastAt - startedAt) / 1000;

  const { end, settledAt, events } = await untilSettled(stage, campaignId, {
    ...{ ...options, ses, isKilled: sent.killedAt > 0 },
    release: held.release,
  });
  const total = await handedOver(ses);
  await Promise.all([sent.worker.stop(), ses.stop()]);
  if (total !== recipients || end.sent !== recipients || end.messageIds !== recipients) {
    throw new Error(`Not every email was sent once: ${total} in the inbox, ${JSON.stringify(end)}`);
  }
  return {
    ratePerSecond: (recipients - inHand) / seconds,
    seconds,
    firstAfterMs: (end.firstAt?.getTime() ?? 0) - startedAt,
    doubtful: {
      emails: inHand,
      sentAgain: end.attempts - recipients,
      settledAfterSeconds: (settledAt - startedAt) / 1000,
    },
    restart: sent.restart,
    events,
    cpu: cpuUsed,
  };
}
