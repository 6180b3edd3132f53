import { type Client, Connection } from '@temporalio/client';
import pg from 'pg';
import type { Config } from '../core/config/schema.ts';
import { orUndefinedAfter } from '../runtime/or-undefined-after.ts';
import { createTemporalClient, temporalConnectionConfig } from '../temporal/client/connect.ts';
import { checkApiKeys } from './api-keys.ts';
import { checkClickHouse, checkStream } from './clickhouse.ts';
import { checkConfiguration, checkOwnDisk } from './configuration.ts';
import { checkAgreement } from './drift.ts';
import { type Finding, messageOf, reporter } from './finding.ts';
import { checkEvents, checkHandOvers } from './hand-overs.ts';
import { checkIndexes } from './indexes.ts';
import { checkBacklog, checkDeadCommands, checkSending } from './outbox.ts';
import { checkPartitions } from './partitions.ts';
import { checkMigrations, checkPooler, checkPostgres, fewerConnections } from './postgres.ts';
import { checkProvider } from './provider.ts';
import { connectReadOnly, type ReadOnly } from './read-only.ts';
import { checkTemporal } from './temporal.ts';

const checkMs = 20_000;
const callMs = 5_000;

/** SQLSTATE too_many_connections */
const tooManyConnections = '53300';

type Environment = Record<string, string | undefined>;

/**
 * Examines a deployment from this process and changes nothing. Every query is limited in rows and time. Never throws:
 * whatever can't be queried becomes a finding.
 */
export async function runDoctor(config: Config, environment: Environment): Promise<Finding[]> {
  const own = [...checkConfiguration(config), ...(await checkOwnDisk(config))];
  const [database, temporal] = await Promise.all([
    reach(
      'Postgres',
      () => connectReadOnly(config.DATABASE_URL),
      'Is it running, and is DATABASE_URL correct?',
    ),
    reach(
      'Temporal',
      () => connectTemporal(environment),
      'Is it running, and are TEMPORAL_ADDRESS and the credentials correct?',
    ),
  ]);
  try {
    return [...own, ...(await examine(config, database, temporal))];
  } finally {
    if ('value' in database) await database.value.client.end().catch(() => undefined);
    if ('value' in temporal) await temporal.value.connection.close();
  }
}

type Reached<Value> = { value: Value } | { finding: Finding };

async function examine(
  config: Config,
  database: Reached<ReadOnly>,
  temporal: Reached<Client>,
): Promise<Finding[]> {
  const clickhouse = guarded(
    'ClickHouse',
    () => checkClickHouse(config),
    'Is it running, and is CLICKHOUSE_URL correct?',
  );
  const provider = guarded(
    'Provider',
    () => checkProvider(config),
    'Check address, credentials and permissions.',
  );
  const findings: Finding[] = [];
  if ('finding' in database) findings.push(database.finding);
  else
    findings.push(
      ...(await examineDatabase(config, database.value)),
      ...(await examinePooler(config, database.value)),
    );
  if ('finding' in temporal) findings.push(temporal.finding);
  else findings.push(...(await guarded('Temporal', () => checkTemporal(temporal.value, config))));
  if ('value' in database && 'value' in temporal) {
    const compare = () =>
      temporal.value.withDeadline(Date.now() + checkMs, () =>
        checkAgreement(database.value, temporal.value, config.TEMPORAL_TASK_QUEUE),
      );
    findings.push(...(await guarded('Agreement', compare)));
  }
  return [...findings, ...(await clickhouse), ...(await provider)];
}

/** Runs checks one after the other, because they share a session. */
async function examineDatabase(config: Config, database: ReadOnly): Promise<Finding[]> {
  const checks = [
    ['Postgres', checkPostgres],
    ['Migrations', checkMigrations],
    ['API keys', (own: ReadOnly) => checkApiKeys(own, config.APP_SECRET)],
    ['Indexes', checkIndexes],
    ['Partitions', checkPartitions],
    ['Outbox', checkDeadCommands],
    ['Outbox', checkBacklog],
    ['Sending', checkSending],
    ['Sending', checkHandOvers],
    ...(config.EMAIL_PROVIDER === 'ses' && config.SNS_TOPIC_ARNS.length > 0
      ? [['Sending', checkEvents] as const]
      : []),
    ...(config.CLICKHOUSE_URL === undefined ? [] : [['Stream', checkStream] as const]),
  ] as const;
  const findings: Finding[] = [];
  for (const [area, check] of checks) findings.push(...(await guarded(area, () => check(database))));
  return findings;
}

async function examinePooler(config: Config, direct: ReadOnly): Promise<Finding[]> {
  const url = config.DATABASE_POOLER_URL;
  if (url === undefined) return [];
  const pooler = await reach(
    'Pooler',
    () => connectReadOnly(url),
    'Is it running, and is DATABASE_POOLER_URL correct?',
  );
  if ('finding' in pooler) return [pooler.finding];
  try {
    return await guarded('Pooler', () => checkPooler(pooler.value, direct));
  } finally {
    await pooler.value.client.end().catch(() => undefined);
  }
}

async function connectTemporal(environment: Environment): Promise<Client> {
  const { connectionOptions } = temporalConnectionConfig(environment);
  // Without the SDK's retries, which end with the deadline and hide why nobody answered.
  const first = Connection.lazy({ ...connectionOptions, interceptors: [] });
  try {
    await first.withDeadline(Date.now() + callMs, () => first.workflowService.getSystemInfo({}));
  } finally {
    await first.close();
  }
  return createTemporalClient(environment);
}

async function reach<Value>(
  area: string,
  connect: () => Promise<Value>,
  remedy: string,
): Promise<Reached<Value>> {
  try {
    return { value: await connect() };
  } catch (error) {
    const isFull = error instanceof pg.DatabaseError && error.code === tooManyConnections;
    return isFull
      ? { finding: reporter(area).error(`has no free connection: ${messageOf(error)}`, fewerConnections) }
      : { finding: reporter(area).error(`does not answer: ${messageOf(error)}`, remedy) };
  }
}

async function guarded(
  area: string,
  check: () => Promise<Finding[]>,
  remedy = 'No other cause is known; is it overloaded?',
): Promise<Finding[]> {
  try {
    const findings = await orUndefinedAfter(checkMs, check());
    if (findings !== undefined) return findings;
    throw new Error(`no answer within ${checkMs / 1000} seconds`);
  } catch (error) {
    return [reporter(area).error(`could not be examined: ${messageOf(error)}`, remedy)];
  }
}
