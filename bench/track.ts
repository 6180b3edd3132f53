import { itemsPerBatch, measureTrackStatement } from './bare-statements.ts';
import { withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { presentLatencies, requireStatus, runLoad } from './http-load.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';
import { createTrackBodies } from './requests.ts';

const connections = 100;
const bar = 6_000;

/** `/v1/track` over HTTP, the API as a process of its own. */
export function benchTrack(): Promise<Figure[]> {
  return withBenchStack(async (stack) => {
    const path = '/v1/track';
    const headers = { Authorization: `Bearer ${stack.project.publicKey}` };
    const load = { nextBody: createTrackBodies(), connections };
    const bare = await stack.startApi({}, 'bench/bare-api.ts');
    const bareTarget = { port: bare.port, path, headers };
    const route = requireStatus(await runLoad({ ...load, target: bareTarget, seconds: 4 }), 200);
    await bare.stop();
    const statement = await measureTrackStatement(stack);

    const api = await stack.startApi();
    const target = { port: api.port, path, headers };
    const cpu = watchCpu({ API: api.pid, Postgres: stack.postgresPid });
    const most = requireStatus(await runLoad({ ...load, target, seconds: 10, warmUpSeconds: 3 }), 200);
    const cpuUsed = cpu(most.total);
    const paced = { ...load, target, seconds: 7, warmUpSeconds: 2, ratePerSecond: bar / 2 };
    const half = requireStatus(await runLoad(paced), 200);
    return [
      {
        work: 'accepted',
        value: most.ratePerSecond,
        unit: '/s',
        bar: { atLeast: bar },
        limits: [
          { what: 'the route without its transaction', value: route.ratePerSecond },
          { what: `the shared statement alone, ${itemsPerBatch} events each`, value: statement },
        ],
        note: `${connections} connections; ${presentLatencies(most)}; ${cpuUsed}`,
      },
      {
        work: `p99 at ${(bar / 2).toLocaleString('en-US')}/s`,
        value: percentile(half.latenciesMs, 0.99),
        unit: 'ms',
        bar: { below: 25 },
        note: `answered ${half.ratePerSecond.toFixed(0)}/s; ${presentLatencies(half)}`,
      },
    ];
  });
}
