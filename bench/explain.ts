import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type pg from 'pg';
import { sql } from '../db/testing/sql.ts';
import { freePort } from '../local/testing/free-port.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { type BenchProject, type BenchStack, withBenchStack } from './bench-stack.ts';
import { connectForLoad } from './bulk-load.ts';
import { fillContacts } from './campaign-run.ts';
import { withCleanUp } from './clean-up.ts';
import { bulkLoadSettings } from './dashboard.ts';
import { callsOf } from './dashboard-calls.ts';
import { type DashboardRecords, fillDashboard } from './dashboard-data.ts';
import { createRecords, findIds, signUp } from './dashboard-stage.ts';
import { type Compared, compare, planSettings, presentPlans, readPlans } from './explain-plans.ts';
import { readLists, runRounds, type Stage, useHotPaths } from './explain-script.ts';
import type { BenchRun } from './report.ts';
import { registerSender } from './ses-calls.ts';

const sizeOf = (divisor: number) => ({
  contacts: 1_000_000 / divisor,
  recipients: 100_000 / divisor,
  emails: 1_000_000 / divisor,
  executions: 100_000 / divisor,
  journal: 10_000_000 / divisor,
});
const smallSize = { contacts: 1_000, executions: 20 };
const filledFile = 'filled.json';

interface Side {
  project: BenchProject;
  records: DashboardRecords;
  size: { contacts: number; executions: number };
}
type Filled = Record<'large' | 'small', Side>;

const results = fileURLToPath(new URL('../.data/bench', import.meta.url));

/** Fills a large project and a small one, in a folder from which the next stack continues. */
async function fill(stack: BenchStack, isQuick: boolean): Promise<void> {
  const size = sizeOf(isQuick ? 20 : 1);
  const small = await stack.addProject('small.example.com');
  const records = await createRecords(stack);
  const smallRecords = await createRecords({ ...stack, project: small });
  await fillContacts({ ...stack, project: small }, smallSize.contacts);
  await fillDashboard(stack.databaseUrl, records, size);
  // The journal up to here is not streamed.
  await sql(
    stack.orm.em.fork(),
    `insert into stream_positions (name, xid, event_id)
     values ('clickhouse', pg_current_xact_id(), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
  );
  await sql(stack.orm.em.fork(), 'checkpoint');
  const filled: Filled = {
    large: { project: stack.project, records, size },
    small: { project: small, records: smallRecords, size: smallSize },
  };
  await writeFile(join(stack.directory, filledFile), JSON.stringify(filled));
}

async function startProduct(stack: BenchStack, domains: readonly string[]) {
  const [sesPort, port, temporal] = await Promise.all([freePort(), freePort(), stack.startTemporal()]);
  const ses = await stack.startSes(sesPort, `http://127.0.0.1:${port}/webhooks/sns`);
  for (const domain of domains) await registerSender(ses.url, domain);
  const environment = {
    TEMPORAL_ADDRESS: temporal.address,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
    EMAIL_RATE_PER_SECOND: '100000',
  };
  const { environment: analytics } = await stack.startClickHouse();
  const api = await stack.startApi({ ...environment, ...analytics, PORT: String(port) });
  await stack.startWorker({ ...environment, ...analytics });
  const client = createTemporalClient({ TEMPORAL_ADDRESS: temporal.address });
  return { url: `http://127.0.0.1:${api.port}`, sesUrl: ses.url, temporal: client };
}

async function play(
  stack: BenchStack,
  stage: Stage,
  cookie: { name: string; value: string },
  { size, isSmall }: Side & { isSmall: boolean },
): Promise<void> {
  const { workflowId } = await useHotPaths(stage);
  await runRounds(stage);
  const records: DashboardRecords = isSmall ? { ...stage.records, workflowId } : stage.records;
  const ids = await findIds(stack, records, size, isSmall ? 0 : 1000);
  const session = {
    Cookie: `${cookie.name}=${cookie.value}`,
    Origin: stage.url,
    'X-Project-Id': stage.project.id,
  };
  await readLists(stage, session, callsOf(ids));
}

async function playBoth(stack: BenchStack, { large, small }: Filled): Promise<Compared[]> {
  const product = await startProduct(stack, [large.project.domain, small.project.domain]);
  const cookie = await signUp(stack, product.url);
  const database = await connectForLoad(stack.databaseUrl);
  await database.query(
    'insert into memberships (project_id, user_id, role) select $1, user_id, role from memberships',
    [small.project.id],
  );
  await database.query('set auto_explain.log_min_duration = -1');
  await forgetProjects(database);
  await database.query('alter system set auto_explain.log_min_duration = 0');
  await database.query('select pg_reload_conf()');
  const file = join(stack.directory, 'postgres/log/plans.json');
  const played = async (side: Side) => {
    const from = (await stat(file)).size;
    const stage = { ...product, project: side.project, records: side.records, database };
    await play(stack, stage, cookie, { ...side, isSmall: side === small });
    await delay(2_000);
    return readPlans(file, from, (await stat(file)).size);
  };
  const plans = [await played(small), await played(large)] as const;
  await database.end();
  return compare(...plans);
}

/**
 * Makes Postgres plan as it does for most projects of a large installation: its statistics know the hundred largest, and it
 * expects a fixed number of rows of any other.
 */
async function forgetProjects(database: pg.Client): Promise<void> {
  await database.query(
    `with known as materialized (
       select s.schemaname, s.tablename, s.attname, s.null_frac, s.avg_width, coalesce(
         (select substring(option from 'n_distinct=(.*)')::real from unnest(a.attoptions) option
          where option like 'n_distinct=%'), s.n_distinct) as n_distinct
       from pg_stats s
       join pg_attribute a on a.attrelid = format('%I.%I', s.schemaname, s.tablename)::regclass and a.attname = s.attname
       where s.schemaname = 'public' and s.attname = 'project_id' and not s.inherited
     )
     select pg_clear_attribute_stats(schemaname, tablename, attname, false),
       pg_restore_attribute_stats('schemaname', schemaname::text, 'relname', tablename::text, 'attname', attname::text,
         'inherited', false, 'null_frac', null_frac, 'avg_width', avg_width, 'n_distinct', n_distinct)
     from known`,
  );
}

/**
 * Runs every statement of hot paths, lists, sweeps and rounds for a large project and for a small one beside it: for
 * the large one, none may read more than a page or a batch. Prints what each statement read; the plans are in
 * `.data/bench`.
 */
export function benchExplain({ report, isQuick, folder }: BenchRun): Promise<void> {
  return withCleanUp(async (cleanUp) => {
    const directory = await mkdtemp(join(tmpdir(), 'posthaste-explain-'));
    cleanUp(() => rm(directory, { recursive: true, force: true }));
    const kept = resolve(folder ?? directory);
    if (!existsSync(join(kept, filledFile))) {
      await withBenchStack((stack) => fill(stack, isQuick), { settings: bulkLoadSettings, directory: kept });
    }
    // Keeps the ownership: under root, the cluster belongs to another user.
    if (kept !== directory) await execa('cp', ['--archive', `${kept}/.`, directory]);
    const filled: Filled = JSON.parse(await readFile(join(directory, filledFile), 'utf8'));
    const options = { settings: { ...bulkLoadSettings, ...planSettings }, directory };
    const compared = await withBenchStack((stack) => playBoth(stack, filled), options);
    console.log(presentPlans(compared));
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'explain.json'), JSON.stringify(compared, null, 1));
    const faulty = compared.filter(({ faults }) => faults.length > 0);
    report({
      work: 'statements to look at',
      value: faulty.length,
      unit: 'statements',
      note: `of ${compared.length}`,
    });
  });
}
