import { z } from 'zod';
import { migrations } from '../db/migrations/index.ts';
import { type Finding, reporter } from './finding.ts';
import { presentBytes } from './present.ts';
import type { ReadOnly } from './read-only.ts';

const supportedMajor = 18;
const mostSkewSeconds = 2;
const fullShare = 0.85;
const largestTables = 5;

const serverRow = z.object({
  version: z.string(),
  number: z.coerce.number(),
  now: z.date(),
  connections: z.int(),
  most: z.coerce.number(),
  bytes: z.coerce.number(),
});

export async function checkPostgres({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Postgres');
  const askedAt = Date.now();
  const [server] = await ask(
    serverRow,
    `select current_setting('server_version') as version, current_setting('server_version_num') as number,
       clock_timestamp() as now, (select count(*)::int from pg_stat_activity) as connections,
       current_setting('max_connections') as most, pg_database_size(current_database()) as bytes`,
  );
  if (server === undefined) throw new Error('no answer');
  const answeredAt = Date.now();
  const { version, connections, most } = server;
  return [
    Math.floor(server.number / 10_000) >= supportedMajor
      ? report.ok(`${version} answers`)
      : report.error(`${version} is too old`, `Posthaste needs Postgres ${supportedMajor} or later.`),
    connections < most * fullShare
      ? report.ok(`${connections} of ${most} connections in use`)
      : report.error(
          `${connections} of ${most} connections in use`,
          'Lower DATABASE_POOL_SIZE, run fewer processes, or raise max_connections.',
        ),
    checkClock(report, server.now, askedAt, answeredAt),
    report.ok(`the database takes up ${presentBytes(server.bytes)}; ${await listLargestTables(ask)}`),
  ];
}

/** The clock of a server against ours, which it was asked between two instants. */
export function checkClock(
  report: ReturnType<typeof reporter>,
  theirs: Date,
  askedAt: number,
  answeredAt: number,
): Finding {
  const off = Math.max(askedAt - theirs.getTime(), theirs.getTime() - answeredAt, 0) / 1000;
  if (off <= mostSkewSeconds) return report.ok('its clock agrees with ours');
  return report.error(
    `its clock differs from ours by ${off.toFixed(1)} s`,
    'Let all machines set their clocks by NTP: schedules, sessions and signatures depend on them.',
  );
}

const tableRow = z.object({ name: z.string(), bytes: z.coerce.number() });

async function listLargestTables(ask: ReadOnly['ask']): Promise<string> {
  const rows = await ask(
    tableRow,
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc limit ${largestTables}`,
  );
  return rows.map(({ name, bytes }) => `${name} ${presentBytes(bytes)}`).join(', ');
}

const nameRow = z.object({ name: z.string() });

export async function checkMigrations({ ask }: ReadOnly): Promise<Finding[]> {
  const report = reporter('Migrations');
  const [table] = await ask(
    z.object({ exists: z.boolean() }),
    `select to_regclass('schema_migrations') is not null as exists`,
  );
  if (!table?.exists) {
    return [report.error('the database is empty', 'Start an API or a worker: it creates the tables.')];
  }
  const rows = await ask(nameRow, 'select name from schema_migrations order by id limit 10000');
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(migrations.map(({ name }) => name));
  const pending = [...known].filter((name) => !applied.has(name));
  const newer = [...applied].filter((name) => !known.has(name));
  const findings: Finding[] = [];
  if (pending.length > 0) {
    findings.push(
      report.error(
        `${pending.length} are pending: ${pending.slice(0, 3).join(', ')}`,
        'Restart an API or a worker of this version: it applies them. If it did, its log says why it could not.',
      ),
    );
  }
  if (newer.length > 0) {
    findings.push(
      report.error(
        `the database is newer than this version: it has ${newer.slice(0, 3).join(', ')}`,
        'Run the newer version. Migrations go forward only.',
      ),
    );
  }
  return findings.length > 0 ? findings : [report.ok(`all ${known.size} are applied`)];
}
