import pg from 'pg';
import { z } from 'zod';
import { migrations } from '../db/migrations/index.ts';
import { type Finding, foundOr, messageOf, presentAge, presentBytes, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const supportedMajor = 18;
const mostSkewSeconds = 2;
const fullShare = 0.85;
const largestTables = 5;
const mostNames = 8;

const serverRow = z.object({
  version: z.string(),
  number: z.coerce.number(),
  now: z.date(),
  bytes: z.coerce.number(),
  isStandby: z.boolean(),
  isReadOnly: z.boolean(),
});

export async function checkPostgres(database: ReadOnly): Promise<Finding[]> {
  const report = reporter('Postgres');
  const { ask } = database;
  const askedAt = Date.now();
  const sql = `select current_setting('server_version') as version, current_setting('server_version_num') as number,
       clock_timestamp() as now, pg_database_size(current_database()) as bytes,
       pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::boolean as "isReadOnly"`;
  const [server] = await ask(serverRow, sql);
  if (server === undefined) throw new Error('no answer');
  const answeredAt = Date.now();
  return [
    Math.floor(server.number / 10_000) >= supportedMajor
      ? report.ok(`${server.version} answers`)
      : report.error(`${server.version} is too old`, `Posthaste needs Postgres ${supportedMajor} or later.`),
    ...checkWritable(report, server),
    ...(await checkDisk(report, database)),
    await checkConnections(report, ask),
    ...(await checkStandby(report, ask)),
    checkClock(report, server.now, askedAt, answeredAt),
    report.ok(`the database takes up ${presentBytes(server.bytes)}; ${await listLargestTables(ask)}`),
    await checkSnapshots(database),
    ...(await checkOwnSession(report, database)),
  ];
}

type Report = ReturnType<typeof reporter>;

function checkWritable(report: Report, { isStandby, isReadOnly }: z.output<typeof serverRow>): Finding[] {
  if (!isStandby && !isReadOnly) return [];
  const why = isStandby ? 'it is a standby' : 'default_transaction_read_only is on';
  return [
    report.error(
      `accepts no writes: ${why}`,
      isStandby
        ? 'Let DATABASE_URL lead to the primary. docs: "Postgres accepts no writes".'
        : 'Find out who set it: some providers do when the disk is full. docs: "Postgres accepts no writes".',
    ),
  ];
}

/** SQLSTATE disk_full */
const diskFull = '53100';

/** Postgres can be read while its disk is full. This writes a megabyte to a temporary file, as a large sort does. */
async function checkDisk(report: Report, { within }: ReadOnly): Promise<Finding[]> {
  try {
    await within(async (client) => {
      await client.query(`set local work_mem = '64kB'`);
      await client.query('select count(*) from generate_series(1, 50000)');
    });
    return [];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === diskFull)) throw error;
    return [
      report.error(
        `can write nothing to its disk: ${messageOf(error)}`,
        'Free some space on its volume, and it recovers by itself. docs: "Requests fail".',
      ),
    ];
  }
}

export const fewerConnections =
  'Lower DATABASE_POOL_SIZE, run fewer processes, set DATABASE_POOLER_URL, or raise max_connections. docs/deployment.md: "Connections".';

const connectionsRow = z.object({ name: z.string(), count: z.int(), most: z.coerce.number() });

async function checkConnections(report: Report, ask: ReadOnly['ask']): Promise<Finding> {
  const sql = `select coalesce(nullif(application_name, ''), 'unnamed') as name, count(*)::int as count,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - current_setting('reserved_connections')::int as most
     from pg_stat_activity
     -- Postgres hides the type of other roles' sessions, such as those of Temporal.
     where usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'
     group by 1 order by 2 desc, 1 limit 100`;
  const rows = await ask(connectionsRow, sql);
  const used = rows.reduce((sum, { count }) => sum + count, 0);
  const most = rows[0]?.most ?? 0;
  const named = rows.slice(0, mostNames).map(({ name, count }) => `${name} ${count}`);
  const text = `${used} of ${most} connections in use: ${named.join(', ')}`;
  if (used < most * fullShare) return report.ok(text);
  return report.error(text, fewerConnections);
}

const longCommitSeconds = 5;

/** A commit waits without a limit for a synchronous standby that is gone. */
async function checkStandby(report: Report, ask: ReadOnly['ask']): Promise<Finding[]> {
  const sql = `select count(*)::int as count,
       coalesce(extract(epoch from max(clock_timestamp() - query_start)), 0)::float8 as seconds
     from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'`;
  const [waiting] = await ask(z.object({ count: z.int(), seconds: z.number() }), sql);
  if (waiting === undefined || waiting.seconds < longCommitSeconds) return [];
  return [
    report.error(
      `${waiting.count} commits wait for a synchronous standby, the first for ${presentAge(waiting.seconds)}`,
      'Bring the standby back, or take it out of synchronous_standby_names and reload. docs: "Postgres does not answer".',
    ),
  ];
}

const snapshotRow = z.object({ pid: z.int(), name: z.string(), command: z.string(), seconds: z.number() });

/** Longer than the longest statements of a worker. */
const longSnapshotSeconds = 20 * 60;

/** Rows deleted since the oldest snapshot stay in the tables, and every look at the head of a queue reads over them. */
export async function checkSnapshots({ ask }: ReadOnly, mostSeconds = longSnapshotSeconds): Promise<Finding> {
  const report = reporter('Postgres');
  const sql = `select pid, coalesce(nullif(application_name, ''), 'an unnamed client') as name,
       regexp_replace(left(query, 60), '\\s+', ' ', 'g') as command,
       extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and backend_xmin is not null
       and pid <> pg_backend_pid()
     order by age(backend_xmin) desc limit 1`;
  const [oldest] = await ask(snapshotRow, sql);
  if (oldest === undefined || oldest.seconds < mostSeconds) {
    return report.ok('no transaction keeps deleted rows for long');
  }
  const { pid, name, command, seconds } = oldest;
  return report.warning(
    `a transaction of ${name} (process ${pid}: ${command}) has kept all rows deleted for ${presentAge(seconds)}`,
    `Queues slow down until it ends. If nobody needs it: select pg_terminate_backend(${pid}); docs/backup.md: "Logical dumps".`,
  );
}

/** A pooler reports a made-up process id to its clients. */
async function checkOwnSession(report: Report, { client, ask }: ReadOnly): Promise<Finding[]> {
  const [session] = await ask(z.object({ pid: z.int() }), 'select pg_backend_pid() as pid');
  // Missing from the types of pg.
  if (!('processID' in client) || client.processID === session?.pid) return [];
  return [
    report.warning(
      'DATABASE_URL leads through a pooler',
      'In session mode that is fine. A pooler in transaction mode belongs in DATABASE_POOLER_URL: LISTEN and advisory locks do not work through it.',
    ),
  ];
}

const limitsRow = z.object({ database: z.string(), statement: z.string(), lock: z.string() });

export async function checkPooler(pooler: ReadOnly, direct: ReadOnly): Promise<Finding[]> {
  const report = reporter('Pooler');
  const text = `select current_database() || ' ' || pg_postmaster_start_time() as database,
       current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
  const read = async ({ client }: ReadOnly) => limitsRow.array().parse((await client.query(text)).rows)[0];
  const [there, here] = [await read(pooler), await read(direct)];
  if (there?.database !== here?.database) {
    return [
      report.error(
        'DATABASE_POOLER_URL leads to a different database than DATABASE_URL',
        'Make both lead to the same one.',
      ),
    ];
  }
  const unlimited = Object.entries({ statement_timeout: there?.statement, lock_timeout: there?.lock })
    .filter(([, value]) => value === '0')
    .map(([name]) => name);
  if (unlimited.length === 0) return [report.ok('leads to the same database, with time limits')];
  return [
    report.warning(
      `its sessions have no ${unlimited.join(' and no ')}`,
      'Set them in the pooler (connect_query of PgBouncer). docs/deployment.md: "A pooler".',
    ),
  ];
}

/** Compares the clock of a server, which was asked between two instants, with ours. */
export function checkClock(report: Report, theirs: Date, askedAt: number, answeredAt: number): Finding {
  const off = Math.max(askedAt - theirs.getTime(), theirs.getTime() - answeredAt, 0) / 1000;
  if (off <= mostSkewSeconds) return report.ok('its clock agrees with ours');
  return report.error(
    `its clock differs from ours by ${off.toFixed(1)} s`,
    'Synchronize the clocks of all machines by NTP: schedules, sessions and signatures depend on them.',
  );
}

const tableRow = z.object({ name: z.string(), bytes: z.coerce.number() });

async function listLargestTables(ask: ReadOnly['ask']): Promise<string> {
  const sql = `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc limit ${largestTables}`;
  const rows = await ask(tableRow, sql);
  return rows.map(({ name, bytes }) => `${name} ${presentBytes(bytes)}`).join(', ');
}

const nameRow = z.object({ name: z.string() });

export async function checkMigrations({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Migrations');
  const sql = `select to_regclass('schema_migrations') is not null as exists`;
  const [table] = await ask(z.object({ exists: z.boolean() }), sql);
  if (!table?.exists) {
    return [report.error('the database is empty', 'Start an API or a worker: it creates the tables.')];
  }
  const rows = await ask(nameRow, 'select name from schema_migrations order by id limit 10000');
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(migrations.map(({ name }) => name));
  const pending = [...known].filter((name) => !applied.has(name));
  const newer = [...applied].filter((name) => !known.has(name));
  return foundOr(report.ok(`all ${known.size} are applied`), [
    pending.length > 0 &&
      report.error(
        `${pending.length} are pending: ${pending.slice(0, 3).join(', ')}`,
        'Restart an API or a worker of this version: it applies them. If it did, its log says why it could not.',
      ),
    newer.length > 0 &&
      report.error(
        `the database is newer than this version: it has ${newer.slice(0, 3).join(', ')}`,
        'Run the newer version. Migrations cannot be reverted.',
      ),
  ]);
}
