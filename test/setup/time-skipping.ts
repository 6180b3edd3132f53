import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { findTimeSkippingBinary } from '../../local/temporal-binary.ts';
import { searchAttributeNames } from '../../temporal/contracts/search-attributes.ts';
import { campaignTaskQueue } from '../../temporal/contracts/task-queues.ts';
import { loadWorkflowBundle } from '../../temporal/worker/workflow-bundle.ts';
import { useTemporalRuntime } from './temporal-runtime.ts';

export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  useTemporalRuntime();
  const path = await findTimeSkippingBinary({ environment: process.env });
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const keyword = 2; // temporal.api.enums.v1.IndexedValueType
  await environment.connection.operatorService.addSearchAttributes({
    namespace: environment.namespace ?? 'default',
    searchAttributes: Object.fromEntries(searchAttributeNames.map((name) => [name, keyword])),
  });
  return environment;
}

/** Histories of a workflow's ended runs, starting with the given one. */
export async function historiesOf(
  { client }: TestWorkflowEnvironment,
  workflowId: string,
  firstRunId: string,
): Promise<History[]> {
  const histories: History[] = [];
  for (let runId: string | undefined = firstRunId; runId !== undefined; ) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    const last = history.events?.at(-1);
    runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}

/**
 * Runs a workflow to its end with scripted activities; the workflow code is the real bundle.
 * @param batchActivities activities on the queue of campaign batches
 * @param meanwhile runs after the start, before time skipping begins
 * @returns `history` is that of the last run, `histories` those of all
 */
export async function runWorkflow<Result>(
  environment: TestWorkflowEnvironment,
  type: string,
  input: unknown,
  activities: object,
  batchActivities: object = {},
  meanwhile?: (handle: WorkflowHandle) => Promise<void>,
): Promise<{ result: Result; history: History; histories: History[] }> {
  const taskQueue = randomUUID();
  const connection = environment.nativeConnection;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await loadWorkflowBundle(),
    activities,
  });
  const run = async () => {
    const handle = await environment.client.workflow.start(type, {
      workflowId: randomUUID(),
      taskQueue,
      args: [input],
    });
    await meanwhile?.(handle);
    const result: Result = await handle.result();
    const histories = await historiesOf(environment, handle.workflowId, handle.firstExecutionRunId);
    return { result, history: await handle.fetchHistory(), histories };
  };
  if (Object.keys(batchActivities).length === 0) return worker.runUntil(run);
  const batchWorker = await Worker.create({
    connection,
    taskQueue: campaignTaskQueue(taskQueue),
    activities: batchActivities,
  });
  return batchWorker.runUntil(worker.runUntil(run));
}
