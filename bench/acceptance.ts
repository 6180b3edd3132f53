import { itemsPerBatch } from './bare-statements.ts';
import type { BenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { presentLatencies, requireStatus, runLoad } from './http-load.ts';
import { percentile } from './percentile.ts';
import type { BenchRun } from './report.ts';

const connections = 100;

/** Measures how many requests a second a hot route accepts, and how fast it answers at half of `bar`. */
export async function measureAcceptance(
  stack: BenchStack,
  { report, isQuick }: BenchRun,
  options: {
    path: string;
    key: string;
    nextBody: () => string;
    environment: Record<string, string>;
    measureStatement: () => Promise<number>;
    items: string;
    bar: number;
    p99BarMs: number;
  },
): Promise<void> {
  const { path, environment, bar } = options;
  const headers = { Authorization: `Bearer ${options.key}` };
  const loadOf = ({ port }: { port: number }) => ({
    ...{ nextBody: options.nextBody, connections },
    target: { port, path, headers },
  });
  const bare = await stack.startApi(environment, 'bench/bare-api.ts');
  const route = requireStatus(await runLoad({ ...loadOf(bare), seconds: isQuick ? 2 : 4 }), 200);
  await bare.stop();
  const statement = await options.measureStatement();

  const api = await stack.startApi(environment);
  const cpu = watchCpu({ API: api.pid, Postgres: stack.postgresPid });
  const most = requireStatus(
    await runLoad({ ...loadOf(api), seconds: isQuick ? 5 : 8, warmUpSeconds: isQuick ? 2 : 3 }),
    200,
  );
  const cpuUsed = cpu(most.total);
  report({
    work: 'accepted',
    value: most.ratePerSecond,
    unit: '/s',
    bar: { atLeast: bar },
    limits: [
      { what: 'the route without its transaction', value: route.ratePerSecond },
      { what: `the shared statement alone, ${itemsPerBatch} ${options.items} each`, value: statement },
    ],
    note: `${connections} connections; ${presentLatencies(most)}; ${cpuUsed}`,
  });
  const paced = { ...loadOf(api), seconds: isQuick ? 4 : 6, warmUpSeconds: 1, ratePerSecond: bar / 2 };
  const half = requireStatus(await runLoad(paced), 200);
  await api.stop();
  report({
    work: `p99 at ${(bar / 2).toLocaleString('en-US')}/s`,
    value: percentile(half.latenciesMs, 0.99),
    unit: 'ms',
    bar: { below: options.p99BarMs },
    note: `answered ${half.ratePerSecond.toFixed(0)}/s; ${presentLatencies(half)}`,
  });
}
