import { availableParallelism } from 'node:os';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { temporalConnectionConfig } from '../client/connect.ts';
import { campaignTaskQueue } from '../contracts/campaign.ts';
import { emailTaskQueue } from '../contracts/email-batch.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

export interface TemporalWorkerOptions {
  /** The process environment, for the Temporal connection. */
  environment: Record<string, string | undefined>;
  taskQueue: string;
  activities: object;
  /** Activities of the batches of single emails, and of those of campaigns, which have task queues of their own. */
  emailActivities: object;
  campaignActivities: object;
  dataConverter: DataConverter | undefined;
  shutdownGraceSeconds: number;
  /** Workflows kept in memory; the others are replayed from their history when they go on. */
  cachedWorkflows: number;
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

/**
 * Steps of executions at a time. They are statements to Postgres, so that a few keep the processors busy; each more
 * only lengthens the queue in which emails and requests stand too.
 */
const executionSlots = 5 * Math.max(2, availableParallelism());

/** A batch is over in a moment, or waits for seconds and is read again. */
const mostCachedBatches = 50;

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
export async function startTemporalWorker(options: TemporalWorkerOptions): Promise<RunningWorker> {
  const { connectionOptions, namespace } = temporalConnectionConfig(options.environment);
  const [connection, workflowBundle] = await Promise.all([
    NativeConnection.connect(connectionOptions),
    loadWorkflowBundle(),
  ]);
  const common: WorkerOptions = {
    connection,
    namespace,
    taskQueue: options.taskQueue,
    ...(options.dataConverter === undefined ? {} : { dataConverter: options.dataConverter }),
    shutdownGraceTime: `${options.shutdownGraceSeconds}s`,
    shutdownForceTime: `${options.shutdownGraceSeconds + 5}s`,
  };
  const running: WorkerOptions = {
    ...common,
    workflowBundle,
    maxConcurrentActivityTaskExecutions: 40,
    maxConcurrentWorkflowTaskExecutions: 40,
    // Executions wait for days: what is not used for a while need not be in memory.
    maxCachedWorkflows: options.cachedWorkflows,
    // What a worker that was killed had in memory goes to another one after that.
    stickyQueueScheduleToStartTimeout: '2s',
  };
  const worker = await Worker.create({
    ...running,
    activities: options.activities,
    maxConcurrentWorkflowTaskExecutions: executionSlots,
    maxConcurrentLocalActivityExecutions: executionSlots,
  });
  // Slots and a thread of its own: an email waits for no execution of a workflow.
  const emailWorker = await Worker.create({
    ...running,
    taskQueue: emailTaskQueue(options.taskQueue),
    activities: options.emailActivities,
    maxCachedWorkflows: Math.min(options.cachedWorkflows, mostCachedBatches),
  });
  // Slots of its own: a campaign takes none of those that transactional email waits for. It runs no workflows, so
  // it needs no sandbox.
  const campaignWorker = await Worker.create({
    ...common,
    taskQueue: campaignTaskQueue(options.taskQueue),
    activities: options.campaignActivities,
    // A batch that waits for its pace holds one too; what leaves at a time is bounded within.
    maxConcurrentActivityTaskExecutions: 40,
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
  });
  const workers = [worker, emailWorker, campaignWorker];
  const ended = Promise.allSettled(
    workers.map((each) =>
      each.run().finally(() => {
        // One without the others would look alive and do a part of the work.
        for (const other of workers) if (other.getState() === 'RUNNING') other.shutdown();
      }),
    ),
  )
    .then((ends) => {
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    })
    .finally(() => connection.close());
  ended.catch(() => undefined);
  return {
    state: () => worker.getState(),
    ended,
    async stop() {
      for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
      await ended.catch((error) => options.log.error({ err: error }, 'The worker ended with an error'));
    },
  };
}
