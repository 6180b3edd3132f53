import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../db/testing/sql.ts';
import { readClickHouse } from './clickhouse.ts';
import type { Stage } from './stage.ts';

/** Work still in progress; all 0 when everything has settled. */
export interface Rest {
  emails: number;
  campaigns: number;
  executions: number;
  jobs: number;
  commands: number;
  providerEvents: number;
  journal: number;
}

const askEveryMs = 1_000;
/** How long to wait without any change: several times as long as a lost hand-over or a dead run takes to be retried. */
const patienceMs = 300_000;

async function readRest(stage: Stage): Promise<Rest> {
  const [row] = await sql<Omit<Rest, 'providerEvents' | 'journal'> & { events: number }>(
    stage.em(),
    `select (select count(*)::int from emails where status in ('QUEUED', 'SENDING', 'SENT', 'UNKNOWN')) as emails,
       (select count(*)::int from campaigns where status <> 'SENT') as campaigns,
       (select count(*)::int from workflow_executions where status in ('RUNNING', 'WAITING')) as executions,
       (select count(*)::int from jobs where finished_at is null) as jobs,
       (select count(*)::int from outbox) as commands,
       (select count(*)::int from events) as events`,
  );
  if (row === undefined) throw new Error('unreachable');
  const { events, ...rest } = row;
  const inbox = await fetch(`${stage.ses.url}/api/events`);
  // as: the local SES is ours and has its own tests.
  const { queued } = (await inbox.json()) as { queued: number };
  const [copied] = await readClickHouse<{ events: string }>(
    stage,
    'SELECT uniqExact(event_id) AS events FROM posthaste.event',
  );
  return { ...rest, providerEvents: queued, journal: events - Number(copied?.events ?? 0) };
}

/**
 * Waits until no work is in progress.
 *
 * @returns what is left if nothing changes for five minutes
 */
export async function settle(stage: Stage, report: (rest: Rest) => void): Promise<Rest> {
  let before = '';
  let changedAt = Date.now();
  for (;;) {
    const rest = await readRest(stage);
    if (Object.values(rest).every((count) => count === 0)) return rest;
    const now = JSON.stringify(rest);
    if (now !== before) {
      before = now;
      changedAt = Date.now();
      report(rest);
    } else if (Date.now() - changedAt > patienceMs) {
      return rest;
    }
    await delay(askEveryMs);
  }
}
