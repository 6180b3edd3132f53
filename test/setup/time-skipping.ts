import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { findTimeSkippingBinary } from '../../local/testing/time-skipping-binary.ts';
import { searchAttributeNames } from '../../temporal/contracts/search-attributes.ts';
import {
  campaignTaskQueue,
  erasureTaskQueue,
  inboundTaskQueue,
  jobTaskQueue,
} from '../../temporal/contracts/task-queues.ts';
import { loadWorkflowBundle } from '../../temporal/worker/workflow-bundle.ts';
import { fileFixture } from './fixtures.ts';
import { useTemporalRuntime } from './temporal-runtime.ts';

/** What workflows do in a test: activities by name, and those on the task queue of campaign batches. */
interface Script {
  activities: object;
  batchActivities?: object;
}

export type TimeSkipping = TestWorkflowEnvironment & {
  readonly taskQueue: string;
  /** While `work` runs, workflows whose id contains `id` use the activities of the script. */
  perform<Result>(id: string, script: Script, work: () => Promise<Result>): Promise<Result>;
};

/** One worker serves all tests, because loading the workflow code takes longer than most tests. */
export async function startTimeSkipping(): Promise<TimeSkipping> {
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
  // Those of the others derive from it as they do from the main one.
  const taskQueue = jobTaskQueue(randomUUID());
  const scripts = new Map<string, Script>();
  const stop = await startScriptedWorkers(environment, taskQueue, scripts);
  const teardown = environment.teardown.bind(environment);
  return Object.assign(environment, {
    taskQueue,
    async perform<Result>(id: string, script: Script, work: () => Promise<Result>): Promise<Result> {
      scripts.set(id, script);
      try {
        return await work();
      } finally {
        scripts.delete(id);
      }
    },
    async teardown() {
      await stop();
      await teardown();
    },
  });
}

/** One per test file. */
export const useTimeSkipping = (): TimeSkipping =>
  fileFixture(startTimeSkipping, (environment) => environment.teardown());

/** @returns a function that shuts them down */
async function startScriptedWorkers(
  { nativeConnection: connection }: TestWorkflowEnvironment,
  taskQueue: string,
  scripts: ReadonlyMap<string, Script>,
): Promise<() => Promise<unknown>> {
  /** A proxy with an activity for every type. */
  const perform = (kind: keyof Script) => ({
    default: async (...input: unknown[]) => {
      const { activityType, workflowExecution } = Context.current().info;
      const [, script] = [...scripts].find(([id]) => workflowExecution?.workflowId.includes(id)) ?? [];
      const activity: unknown = Reflect.get(script?.[kind] ?? {}, activityType);
      if (typeof activity !== 'function') throw ApplicationFailure.nonRetryable(`No ${activityType} is due`);
      return activity(...input);
    },
  });
  const workers = [
    await Worker.create({
      connection,
      taskQueue,
      workflowBundle: await loadWorkflowBundle(),
      activities: perform('activities'),
    }),
    await Worker.create({
      connection,
      taskQueue: inboundTaskQueue(taskQueue),
      activities: perform('activities'),
    }),
    await Worker.create({
      connection,
      taskQueue: erasureTaskQueue(taskQueue),
      activities: perform('activities'),
    }),
    await Worker.create({
      connection,
      taskQueue: campaignTaskQueue(taskQueue),
      activities: perform('batchActivities'),
    }),
  ];
  const ended = Promise.all(workers.map((worker) => worker.run()));
  return () => {
    for (const worker of workers) worker.shutdown();
    return ended;
  };
}

/** Histories of a workflow's ended runs, from the given run on. */
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
 *
 * @param batchActivities activities on the task queue of campaign batches
 * @param meanwhile runs after the start, before time skipping begins
 * @returns `history` of the last run, `histories` of all runs
 */
export async function runWorkflow<Result>(
  environment: TimeSkipping,
  type: string,
  input: unknown,
  activities: object,
  batchActivities: object = {},
  meanwhile?: (handle: WorkflowHandle) => Promise<void>,
): Promise<{ result: Result; history: History; histories: History[] }> {
  const workflowId = randomUUID();
  return environment.perform(workflowId, { activities, batchActivities }, async () => {
    const { taskQueue } = environment;
    const handle = await environment.client.workflow.start(type, { workflowId, taskQueue, args: [input] });
    await meanwhile?.(handle);
    const result: Result = await handle.result();
    const histories = await historiesOf(environment, workflowId, handle.firstExecutionRunId);
    return { result, history: await handle.fetchHistory(), histories };
  });
}
