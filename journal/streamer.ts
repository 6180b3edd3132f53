import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import { createAlarmClock } from '../core/alarm-clock.ts';
import { pause } from '../core/pause.ts';
import { connectStreamer, tryLock } from './connection.ts';
import { insertBatch } from './insert-batch.ts';
import { type JournalLag, measureLag } from './lag.ts';
import { loadPosition, resetPositionFromTheFuture, savePosition } from './position.ts';
import { type JournalBatch, type JournalPosition, readBatch } from './read-batch.ts';

export interface JournalStreamerOptions {
  /** Postgres itself or a pooler in session mode: the streamer holds an advisory lock. */
  databaseUrl: string;
  clickhouse: ClickHouse;
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** How often the stream looks for rows that no `wake` announced. Default 250. */
  pollIntervalMs?: number;
  batchRows?: number;
  around?: (<R>(rows: number, insert: () => Promise<R>) => Promise<R>) | undefined;
  now?: () => Date;
}

/**
 * Every insert, however small, creates parts in four tables that ClickHouse has to merge: tens of milliseconds of CPU,
 * half the cost of a single email. So the stream pauses for fifty times the duration of the last insert, within these
 * bounds; the more rows share the next insert, the less each costs, so after many rows it pauses for a shorter time.
 */
const restFactor = 50;
const minRestMs = 250;
const maxRestMs = 1_500;
const manyRows = 1_000;
const maxRestAfterManyMs = 750;
/** The first row after a quiet time is rarely the only one: an email that is sent is soon delivered. */
const gatherMs = 100;
const usualPollIntervalMs = 250;
const usualBatchRows = 10_000;
const standbyIntervalMs = 1_000;
const lagIntervalMs = 5_000;
/** Closing a session to a vanished host would never finish. */
const closeTimeoutMs = 2_000;
const firstBackoffMs = 250;
const maxBackoffMs = 5_000;

/**
 * Streams the journal from Postgres to ClickHouse, in commit order and at least once. Of all processes with a streamer
 * only one streams; when it ends or loses its session, another takes over. After any error the streamer restarts from
 * the stored position with a backoff of 250 ms to 5 s, so neither store has to be up at the start.
 */
export class JournalStreamer {
  readonly #options: JournalStreamerOptions;
  readonly #alarm = createAlarmClock();
  readonly #stopping = new AbortController();
  #backoffMs = firstBackoffMs;
  readonly #done: Promise<void>;
  /** Measured every few seconds, even while another process streams. */
  lag: JournalLag = {
    rowsBehind: 0,
    secondsBehind: 0,
    refusedRows: 0,
    refusedAt: null,
    measuredAt: undefined,
  };
  isActive = false;

  constructor(options: JournalStreamerOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** Call after a commit, so that its rows do not wait for the next poll. Cheap. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Finishes the current insert, then releases the lock to another process. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#alarm.ring();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#holdSession();
      } catch (error) {
        this.#options.log.warn(
          { err: error, retryInMs: this.#backoffMs },
          'the journal stream was interrupted',
        );
        await pause(this.#backoffMs, this.#stopping.signal);
        this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
      }
    }
  }

  async #holdSession(): Promise<void> {
    const client = await connectStreamer(this.#options.databaseUrl);
    try {
      while (!this.#stopping.signal.aborted && !(await tryLock(client))) {
        await this.#keepLagFresh(client, await loadPosition(client));
        await pause(standbyIntervalMs, this.#stopping.signal);
      }
      if (this.#stopping.signal.aborted) return;
      this.isActive = true;
      if (await resetPositionFromTheFuture(client)) {
        this.#options.log.error(
          'the stream position belongs to another database; the whole journal is streamed again',
        );
      }
      await this.#stream(client);
    } finally {
      this.isActive = false;
      await Promise.race([
        client.end().catch(() => undefined),
        delay(closeTimeoutMs, undefined, { ref: false }),
      ]);
    }
  }

  async #stream(client: Client): Promise<void> {
    const { batchRows = usualBatchRows, pollIntervalMs = usualPollIntervalMs, log } = this.#options;
    let position = await loadPosition(client);
    // Also measured here: while ClickHouse is down, every retry starts here and gets no further.
    await this.#keepLagFresh(client, position);
    let next: Promise<JournalBatch> | undefined;
    log.info({ position }, 'streaming the journal to ClickHouse');
    while (!this.#stopping.signal.aborted) {
      const batch = await (next ?? readBatch(client, position, batchRows));
      // Postgres prepares the next batch while ClickHouse inserts this one.
      next = batch.isFull ? readBatch(client, batch.end, batchRows) : undefined;
      next?.catch(() => undefined);
      const restMs = batch.rows > 0 ? restAfter(batch.rows, await this.#deliver(client, batch)) : 0;
      position = batch.end;
      await this.#keepLagFresh(client, position);
      if (next !== undefined) continue;
      await pause(restMs, this.#stopping.signal);
      await this.#alarm.sleep(Math.max(0, pollIntervalMs - restMs));
      if (batch.rows === 0) await pause(gatherMs, this.#stopping.signal);
    }
  }

  /** @returns how long it took, in milliseconds */
  async #deliver(client: Client, batch: JournalBatch): Promise<number> {
    const { clickhouse, around, log } = this.#options;
    const startedAt = performance.now();
    const insert = () => insertBatch(clickhouse, batch.lines);
    const refused = await (around === undefined ? insert() : around(batch.rows, insert));
    for (const { eventId, outcome, error } of refused) {
      log.error({ eventId, outcome, err: error }, 'ClickHouse refused a row of the journal');
    }
    await savePosition(client, batch.end, refused.length);
    this.#backoffMs = firstBackoffMs;
    const tookMs = Math.round(performance.now() - startedAt);
    log.debug({ rows: batch.rows, ms: tookMs }, 'journal streamed');
    return tookMs;
  }

  async #keepLagFresh(client: Client, position: JournalPosition): Promise<void> {
    const now = this.#options.now?.() ?? new Date();
    const { measuredAt } = this.lag;
    if (measuredAt !== undefined && now.getTime() - measuredAt.getTime() < lagIntervalMs) return;
    this.lag = await measureLag(client, position, now);
  }
}

function restAfter(rows: number, insertMs: number): number {
  const most = rows < manyRows ? maxRestMs : maxRestAfterManyMs;
  return Math.min(Math.max(insertMs * restFactor, minRestMs), most);
}
