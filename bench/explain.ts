import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { sql } from '../db/testing/sql.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { connectForLoad } from './bulk-load.ts';
import { fillContacts } from './campaign-run.ts';
import { bulkLoadSettings } from './dashboard.ts';
import { callsOf } from './dashboard-calls.ts';
import { type DashboardRecords, fillDashboard } from './dashboard-data.ts';
import { createRecords, findIds, signUp } from './dashboard-stage.ts';
import { compare, planSettings, presentPlans, readPlans, type Statement } from './explain-plans.ts';
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
const results = fileURLToPath(new URL('../.data/bench', import.meta.url));

async function prepare(stack: BenchStack, isQuick: boolean) {
  const size = sizeOf(isQuick ? 20 : 1);
  const small = await stack.addProject('small.example.com');
  const records = await createRecords(stack);
  const smallRecords = await createRecords({ ...stack, project: small });
  await fillContacts({ ...stack, project: small }, smallSize.contacts);
  await fillDashboard(stack.databaseUrl, records, size);
  // The journal so far is not streamed.
  await sql(
    stack.orm.em.fork(),
    `insert into stream_positions (name, xid, event_id)
     values ('clickhouse', pg_current_xact_id(), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`,
  );
  return {
    large: { project: stack.project, records, size },
    small: { project: small, records: smallRecords, size: smallSize },
  };
}

async function startProduct(stack: BenchStack, domains: readonly string[]) {
  const [sesPort, port, temporal] = await Promise.all([getPort(), getPort(), stack.startTemporal()]);
  const ses = await stack.startSes(sesPort, `http://127.0.0.1:${port}/webhooks/sns`);
  for (const domain of domains) await registerSender(ses.url, domain);
  const environment = {
    TEMPORAL_ADDRESS: temporal.address,
    SES_ENDPOINT: ses.url,
    SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
    EMAIL_RATE_PER_SECOND: '100000',
  };
  const analytics = { CLICKHOUSE_EMBEDDED_PATH: join(stack.directory, 'clickhouse') };
  const api = await stack.startApi({ ...environment, ...analytics, PORT: String(port) });
  await stack.startWorker(environment);
  const client = createTemporalClient({
    environment: { TEMPORAL_ADDRESS: temporal.address },
    dataConverter: undefined,
  });
  return { url: `http://127.0.0.1:${api.port}`, sesUrl: ses.url, temporal: client };
}

async function play(
  stack: BenchStack,
  stage: Stage,
  cookie: { name: string; value: string },
  size: { contacts: number; executions: number },
): Promise<void> {
  const { workflowId } = await useHotPaths(stage);
  await runRounds(stage);
  const isSmall = size === smallSize;
  const records: DashboardRecords = isSmall ? { ...stage.records, workflowId } : stage.records;
  const ids = await findIds(stack, records, size, isSmall ? 0 : 1000);
  const session = {
    Cookie: `${cookie.name}=${cookie.value}`,
    Origin: stage.url,
    'X-Project-Id': stage.project.id,
  };
  await readLists(stage, session, callsOf(ids));
}

/**
 * Every statement of hot paths, lists, sweeps and rounds, as a large project runs it beside a small one: none may read more for
 * the large one than a page or a batch of it. Prints them with what they read; the plans are in `.data/bench`.
 */
export function benchExplain({ report, isQuick }: BenchRun): Promise<void> {
  return withBenchStack(
    async (stack) => {
      const { large, small } = await prepare(stack, isQuick);
      const product = await startProduct(stack, [large.project.domain, small.project.domain]);
      const cookie = await signUp(stack, product.url);
      const database = await connectForLoad(stack.databaseUrl);
      await database.query(
        'insert into memberships (project_id, user_id, role) select $1, user_id, role from memberships',
        [small.project.id],
      );
      await database.query('set auto_explain.log_min_duration = -1');
      await database.query('alter system set auto_explain.log_min_duration = 0');
      await database.query('select pg_reload_conf()');
      const file = join(stack.directory, 'postgres/log/plans.json');
      const parts: Map<string, Statement>[] = [];
      for (const { project, records, size } of [small, large]) {
        const from = (await stat(file)).size;
        await play(stack, { ...product, project, records, database }, cookie, size);
        await delay(2_000);
        parts.push(await readPlans(file, from, (await stat(file)).size));
      }
      await database.end();
      const compared = compare(parts[0] ?? new Map(), parts[1] ?? new Map());
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
    },
    { ...bulkLoadSettings, ...planSettings },
  );
}
