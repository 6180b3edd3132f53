import { Gauge, type Registry } from 'prom-client';
import { countStrayRows } from '../db/count-stray-rows.ts';
import { type Orm, readPools } from '../db/orm.ts';
import { readSendingBacklog } from '../db/statements/emails/read-sending-backlog.ts';
import { type OutboxFigures, readOutboxFigures } from '../db/statements/outbox/read-outbox-figures.ts';

export function registerDatabaseGauges(registry: Registry, orm: Orm): void {
  registerPoolGauges(registry, orm);
  registerOutboxGauges(registry, orm);
  registerPartitionGauge(registry, orm);
  const backlog = new Gauge({
    name: 'posthaste_sending_backlog',
    help: 'Accepted emails that are still to be handed over: single ones that the send rate holds back (counted up to 50,000), and those of campaigns being sent, unless they are paused.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const { single, campaign } = await readSendingBacklog(orm.em.fork());
      backlog.set({ kind: 'single' }, single);
      backlog.set({ kind: 'campaign' }, campaign);
    },
  });
}

function registerPartitionGauge(registry: Registry, orm: Orm): void {
  const stray = new Gauge({
    name: 'posthaste_default_partition_rows',
    help: 'Rows whose own partition was missing, by table (counted up to 10,000). Must stay 0.',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      for (const { table, rows } of await countStrayRows(orm.em.fork())) stray.set({ table }, rows);
    },
  });
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

function registerOutboxGauges(registry: Registry, orm: Orm): void {
  // Asked for by three gauges at the same moment.
  let reading: Promise<OutboxFigures[]> | undefined;
  const read = () => {
    reading ??= readOutboxFigures(orm.em.fork()).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const gauge = (name: string, help: string, figure: 'waiting' | 'dead' | 'oldestSeconds') => {
    const own = new Gauge({
      name,
      help,
      labelNames: ['lane'],
      registers: [registry],
      async collect() {
        for (const figures of await read()) own.set({ lane: figures.lane }, figures[figure]);
      },
    });
  };
  gauge(
    'posthaste_outbox_waiting',
    'Commands waiting to be sent to Temporal, by lane: emails, work.',
    'waiting',
  );
  gauge('posthaste_outbox_dead', 'Commands that were given up on. Must stay 0.', 'dead');
  gauge('posthaste_outbox_oldest_seconds', 'Age of the oldest waiting command.', 'oldestSeconds');
}
