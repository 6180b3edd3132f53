import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import pMap from 'p-map';
import { createLogger } from '../runtime/logger.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { installTemporalRuntime } from '../temporal/worker/temporal-runtime.ts';
import { loadWorkflowBundle } from '../temporal/worker/workflow-bundle.ts';
import { watchCpu } from './cpu-per-item.ts';

const taskQueue = 'bare';
const warmUp = 50;

/**
 * Workflows per second with one no-op activity, on an otherwise idle Temporal server, with worker and client in this
 * process: an upper bound for any workflow product on that server.
 */
export async function measureBareWorkflows(
  temporal: { address: string; pid: number },
  { count, atATime }: { count: number; atATime: number },
): Promise<{ perSecond: number; cpu: string }> {
  installTemporalRuntime(createLogger('silent'));
  const { address } = temporal;
  const connection = await NativeConnection.connect({ address });
  const client = createTemporalClient({ TEMPORAL_ADDRESS: address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await loadWorkflowBundle(),
    activities: { dispatchEmails: async () => ({ openIds: [], retryInMs: 0, sent: 1, ended: 0 }) },
  });
  const run = (items: number) =>
    pMap(
      Array.from({ length: items }),
      () =>
        client.workflow.execute('emailBatch', {
          workflowId: randomUUID(),
          taskQueue,
          args: [{ emailIds: ['a'], round: 0 }],
        }),
      { concurrency: atATime },
    );
  const measured = await worker.runUntil(async () => {
    await run(warmUp);
    const cpu = watchCpu({ Temporal: temporal.pid });
    const startedAt = performance.now();
    await run(count);
    const perSecond = (count * 1000) / (performance.now() - startedAt);
    return { perSecond, cpu: cpu(count) };
  });
  await client.connection.close();
  await connection.close();
  return measured;
}
