import { Gauge, type Registry } from 'prom-client';
import { type Orm, readPools } from '../db/orm.ts';
import { countStrayRows } from '../db/partitioned-table.ts';
import { readOutboxFigures, readSendingBacklog } from '../db/statements/outbox/read-outbox-figures.ts';
import type { Warn } from './logger.ts';
import { orUndefinedAfter } from './or-undefined-after.ts';

/** Prometheus waits ten seconds for all metrics of a process. */
const patienceMs = 5_000;

/** While Postgres does not answer, its figures are left out; everything else is still exported. */
export function registerDatabaseGauges(registry: Registry, orm: Orm, warn: Warn): void {
  const shared: Share = (ask) =>
    sharedUntilLate(ask, (err) => warn('a Postgres figure is missing from the metrics', err));
  registerPoolGauges(registry, orm);
  registerFigures(registry, orm, shared);
  registerStateGauges(
    registry,
    shared(() => isWritable(orm)),
  );
}

/** Asks on a connection of the pool: it keeps the setting of its role or database that held when it was opened. */
async function isWritable(orm: Orm): Promise<boolean> {
  const sql = `select current_setting('transaction_read_only') = 'off' as writable`;
  const [row] = await orm.em.fork().execute<{ writable: boolean }[]>(sql);
  return row?.writable === true;
}

function registerStateGauges(registry: Registry, askState: () => Promise<boolean | undefined>): void {
  const registers = [registry];
  const up = new Gauge({
    name: 'posthaste_postgres_up',
    help: 'Whether Postgres answered this process within five seconds: 1 or 0.',
    registers,
    async collect() {
      up.set((await askState()) === undefined ? 0 : 1);
    },
  });
  const writable = new Gauge({
    name: 'posthaste_postgres_writable',
    help: 'Whether Postgres accepts writes: 1, or 0 where it is a standby or set to read-only.',
    registers,
    async collect() {
      const state = await askState();
      if (state === undefined) writable.remove();
      else writable.set(state ? 1 : 0);
    },
  });
}

type Share = <Answer>(ask: () => Promise<Answer>) => () => Promise<Answer | undefined>;

interface Figure {
  labels: Record<string, string>;
  value: number;
}

function registerFigures(registry: Registry, orm: Orm, shared: Share): void {
  const register = (
    name: string,
    help: string,
    labelNames: string[],
    read: () => Promise<Figure[] | undefined>,
  ) => {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await read();
        gauge.reset();
        for (const { labels, value } of figures ?? []) gauge.set(labels, value);
      },
    });
  };
  const readOutbox = shared(() => readOutboxFigures(orm.em.fork()));
  const ofLanes = (figure: 'waiting' | 'dead' | 'oldestSeconds') => async () =>
    (await readOutbox())?.map(({ lane, ...figures }) => ({ labels: { lane }, value: figures[figure] }));
  const lane = ['lane'];
  register(
    'posthaste_outbox_waiting',
    'Commands waiting to be sent to Temporal, by lane: emails, work.',
    lane,
    ofLanes('waiting'),
  );
  register('posthaste_outbox_dead', 'Commands that were given up on. Must stay 0.', lane, ofLanes('dead'));
  register(
    'posthaste_outbox_oldest_seconds',
    'Age of the oldest waiting command.',
    lane,
    ofLanes('oldestSeconds'),
  );
  const readStray = shared(() => countStrayRows(orm.em.fork()));
  register(
    'posthaste_default_partition_rows',
    'Rows whose own partition was missing, by table (counted up to 10,000). Must stay 0.',
    ['table'],
    async () => (await readStray())?.map(({ table, rows }) => ({ labels: { table }, value: rows })),
  );
  const readBacklog = shared(() => readSendingBacklog(orm.em.fork()));
  register(
    'posthaste_sending_backlog',
    'Accepted emails not handed over yet: single emails held back by the send rate (counted up to 50,000), and emails of campaigns being sent, unless paused.',
    ['kind'],
    async () => {
      const backlog = await readBacklog();
      if (backlog === undefined) return;
      const ofCampaigns = backlog.campaigns.reduce((sum, { emails }) => sum + emails, 0);
      return [
        { labels: { kind: 'single' }, value: backlog.single },
        { labels: { kind: 'campaign' }, value: ofCampaigns },
      ];
    },
  );
  register(
    'posthaste_campaign_backlog',
    'Emails not handed over yet of each campaign being sent, unless paused, by its id (at most 1,000 campaigns).',
    ['campaign'],
    async () =>
      (await readBacklog())?.campaigns.map(({ id, emails }) => ({ labels: { campaign: id }, value: emails })),
  );
}

/**
 * Shares one answer among all who ask while it is pending, so that late answers do not pile up. `undefined` when it
 * fails or takes longer than five seconds.
 */
function sharedUntilLate<Answer>(
  ask: () => Promise<Answer>,
  failed: (error: unknown) => void,
): () => Promise<Answer | undefined> {
  let asking: Promise<Answer | undefined> | undefined;
  return () => {
    asking ??= ask()
      .catch((error: unknown) => {
        failed(error);
        return undefined;
      })
      .finally(() => {
        asking = undefined;
      });
    return orUndefinedAfter(patienceMs, asking);
  };
}

function registerPoolGauges(registry: Registry, orm: Orm): void {
  const registers = [registry];
  const connections = new Gauge({
    name: 'posthaste_postgres_pool_connections',
    help: 'Connections of this process to Postgres, by pool and state: used, idle.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { pool, used, idle, waiting, max } of readPools(orm)) {
        connections.set({ pool, state: 'used' }, used);
        connections.set({ pool, state: 'idle' }, idle);
        waiters.set({ pool }, waiting);
        most.set({ pool }, max);
      }
    },
  });
  const waiters = new Gauge({
    name: 'posthaste_postgres_pool_waiting',
    help: 'Statements that wait for a connection of the pool.',
    labelNames: ['pool'],
    registers,
  });
  const most = new Gauge({
    name: 'posthaste_postgres_pool_connections_max',
    help: 'Connections that the pool may open.',
    labelNames: ['pool'],
    registers,
  });
}
