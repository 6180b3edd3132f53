import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { createAlarmClock } from './alarm-clock.ts';
import { connectStreamer, tryLock } from './connection.ts';
import { insertBatch } from './insert-batch.ts';
import { type JournalLag, measureLag } from './lag.ts';
import { loadPosition, resetPositionFromTheFuture, savePosition } from './position.ts';
import { type JournalBatch, type JournalPosition, readBatch } from './read-batch.ts';

export interface JournalStreamerOptions {
  /** Postgres itself or a pooler in session mode: the streamer keeps a session with an advisory lock. */
  databaseUrl: string;
  clickhouse: ClickHouse;
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** How long new rows may wait without a call of `wake`. Default 250. */
  pollIntervalMs?: number;
  /** Rows of an insert, at most. Default 10,000. */
  batchRows?: number;
  /** Runs an insert of so many rows into ClickHouse. */
  around?: (<R>(rows: number, insert: () => Promise<R>) => Promise<R>) | undefined;
  /** Default: the system's. */
  now?: () => Date;
}

export interface JournalStreamer {
  /** Says that rows were committed, so that they need not wait for the next poll. Cheap; call it freely. */
  wake(): void;
  /** The lag as this process last measured it, some seconds ago at most; measured also while another one streams. */
  lag(): JournalLag;
  /** Whether this process is the one that streams. */
  isActive(): boolean;
  /** Ends after the insert that is under way, and gives the stream to another process. */
  stop(): Promise<void>;
}

/**
 * Each insert makes parts that ClickHouse has to merge, whatever its size. So while rows trickle in the stream rests
 * for ten times as long as an insert took, within these bounds.
 */
const restFactor = 10;
const minRestMs = 100;
const maxRestMs = 250;
/** How often a process that does not stream looks whether it should. */
const standbyIntervalMs = 1_000;
const lagIntervalMs = 5_000;
/** A session to a host that is gone does not end by itself. */
const closeTimeoutMs = 2_000;
const firstBackoffMs = 250;
const maxBackoffMs = 5_000;

/**
 * Streams the journal in Postgres to ClickHouse, in commit order and at least once. Of all processes that call this
 * one streams; when it ends, or loses its session, another takes over. Whatever fails, the streamer starts again from
 * the stored position after a pause (250 ms to 5 s), so it needs neither store to be there when it starts.
 */
export function startJournalStreamer(options: JournalStreamerOptions): JournalStreamer {
  const { databaseUrl, clickhouse, log, around } = options;
  const pollIntervalMs = options.pollIntervalMs ?? 250;
  const batchRows = options.batchRows ?? 10_000;
  const now = options.now ?? (() => new Date());
  const alarm = createAlarmClock();
  const stopping = new AbortController();
  let lag: JournalLag = { rowsBehind: 0, secondsBehind: 0, measuredAt: undefined };
  let isActive = false;
  let backoffMs = firstBackoffMs;

  /** Sleeps; `stop` ends it. */
  async function pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await holdSession();
      } catch (error) {
        log.warn({ err: error, retryInMs: backoffMs }, 'the journal stream was interrupted');
        await pause(backoffMs);
        backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
      }
    }
  }

  async function holdSession(): Promise<void> {
    const client = await connectStreamer(databaseUrl);
    try {
      while (!stopping.signal.aborted && !(await tryLock(client))) {
        await keepLagFresh(client, await loadPosition(client));
        await pause(standbyIntervalMs);
      }
      if (stopping.signal.aborted) return;
      isActive = true;
      if (await resetPositionFromTheFuture(client)) {
        log.error('the stream position is of another database; the whole journal is streamed again');
      }
      await stream(client);
    } finally {
      isActive = false;
      await Promise.race([
        client.end().catch(() => undefined),
        delay(closeTimeoutMs, undefined, { ref: false }),
      ]);
    }
  }

  async function stream(client: Client): Promise<void> {
    let position = await loadPosition(client);
    // While ClickHouse is away, every try starts here and goes no further.
    await keepLagFresh(client, position);
    let next: Promise<JournalBatch> | undefined;
    log.info({ position }, 'streaming the journal to ClickHouse');
    while (!stopping.signal.aborted) {
      const batch = await (next ?? readBatch(client, position, batchRows));
      // While ClickHouse takes this batch, Postgres prepares the next.
      next = batch.isFull ? readBatch(client, batch.end, batchRows) : undefined;
      next?.catch(() => undefined);
      const restMs = batch.rows > 0 ? restAfter(await deliver(client, batch)) : 0;
      position = batch.end;
      await keepLagFresh(client, position);
      if (next !== undefined) continue;
      await pause(restMs);
      await alarm.sleep(Math.max(0, pollIntervalMs - restMs));
    }
  }

  /** @returns how long it took, in milliseconds. */
  async function deliver(client: Client, batch: JournalBatch): Promise<number> {
    const startedAt = performance.now();
    const insert = () => insertBatch(clickhouse, batch.lines);
    const refused = await (around === undefined ? insert() : around(batch.rows, insert));
    for (const { eventId, outcome, error } of refused) {
      log.error({ eventId, outcome, err: error }, 'ClickHouse refused a row of the journal');
    }
    await savePosition(client, batch.end);
    backoffMs = firstBackoffMs;
    const tookMs = Math.round(performance.now() - startedAt);
    log.debug({ rows: batch.rows, ms: tookMs }, 'journal streamed');
    return tookMs;
  }

  async function keepLagFresh(client: Client, position: JournalPosition): Promise<void> {
    const instant = now();
    if (lag.measuredAt !== undefined && instant.getTime() - lag.measuredAt.getTime() < lagIntervalMs) return;
    lag = await measureLag(client, position, instant);
  }

  const done = run();
  return {
    wake: alarm.ring,
    lag: () => lag,
    isActive: () => isActive,
    async stop() {
      stopping.abort();
      alarm.ring();
      await done;
    },
  };
}

function restAfter(insertMs: number): number {
  return Math.min(Math.max(insertMs * restFactor, minRestMs), maxRestMs);
}
