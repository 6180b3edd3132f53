import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { temporalConnectionConfig } from '../client/connect.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

export interface WorkerOptions {
  /** The process environment, for the Temporal connection. */
  environment: Record<string, string | undefined>;
  taskQueue: string;
  activities: object;
  dataConverter: DataConverter | undefined;
  shutdownGraceSeconds: number;
  log: Logger;
}

export interface RunningWorker {
  /** `RUNNING` while it polls. */
  state(): string;
  /** Settles when the worker has ended, with an error when nobody asked it to. */
  readonly ended: Promise<void>;
  /** Takes no more tasks, lets running ones finish within the grace time. */
  stop(): Promise<void>;
}

/** Below ours by one: each step of each workflow is DEBUG to the SDK. */
const severities = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Prepares the native runtime of this process: its log goes into ours, and signals are ours to handle. Once per
 * process, before the first worker.
 */
export function installTemporalRuntime(log: Logger): void {
  const child = log.child({ component: 'temporal' });
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    logger: {
      log: (level, message, meta) => child[severities[level]](meta ?? {}, message),
      trace: (message, meta) => child.trace(meta ?? {}, message),
      debug: (message, meta) => child.trace(meta ?? {}, message),
      info: (message, meta) => child.debug(meta ?? {}, message),
      warn: (message, meta) => child.warn(meta ?? {}, message),
      error: (message, meta) => child.error(meta ?? {}, message),
    },
  });
}

/**
 * Starts a worker for all workflows and activities.
 * @throws when Temporal can't be reached
 */
export async function startTemporalWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { connectionOptions, namespace } = temporalConnectionConfig(options.environment);
  const [connection, workflowBundle] = await Promise.all([
    NativeConnection.connect(connectionOptions),
    loadWorkflowBundle(),
  ]);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: options.taskQueue,
    workflowBundle,
    activities: options.activities,
    ...(options.dataConverter === undefined ? {} : { dataConverter: options.dataConverter }),
    shutdownGraceTime: `${options.shutdownGraceSeconds}s`,
    shutdownForceTime: `${options.shutdownGraceSeconds + 5}s`,
    maxConcurrentActivityTaskExecutions: 40,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 500,
  });
  const ended = worker.run().finally(() => connection.close());
  ended.catch(() => undefined);
  return {
    state: () => worker.getState(),
    ended,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch((error) => options.log.error({ err: error }, 'The worker ended with an error'));
    },
  };
}
