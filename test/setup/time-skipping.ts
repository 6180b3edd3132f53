import { randomUUID } from 'node:crypto';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { findTimeSkippingBinary } from '../../local/temporal-binary.ts';
import { createLogger } from '../../runtime/logger.ts';
import { installTemporalRuntime } from '../../temporal/worker/start.ts';
import { loadWorkflowBundle } from '../../temporal/worker/workflow-bundle.ts';

/** A Temporal test server whose clock jumps over every wait. */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  installTemporalRuntime(createLogger('silent'));
  const path = await findTimeSkippingBinary({ environment: process.env });
  return TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
}

/** Runs a workflow to its end with scripted activities; the workflow code is the real bundle. */
export async function runWorkflow<Result>(
  environment: TestWorkflowEnvironment,
  type: string,
  input: unknown,
  activities: object,
): Promise<{ result: Result; history: History }> {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle: await loadWorkflowBundle(),
    activities,
  });
  return worker.runUntil(async () => {
    const handle = await environment.client.workflow.start(type, {
      workflowId: randomUUID(),
      taskQueue,
      args: [input],
    });
    const result: Result = await handle.result();
    return { result, history: await handle.fetchHistory() };
  });
}
