import { availableParallelism } from 'node:os';
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../../core/config/schema.ts';
import { temporalConnectionConfig } from '../client/connect.ts';
import type { ProcessResources } from '../client/open-temporal.ts';
import type { CampaignBatchActivities } from '../contracts/campaign.ts';
import {
  campaignTaskQueue,
  emailTaskQueue,
  erasureTaskQueue,
  inboundTaskQueue,
  jobTaskQueue,
} from '../contracts/task-queues.ts';
import type { Activities } from './create-activities.ts';
import { traceActivities } from './trace-activities.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

/**
 * Concurrent steps of executions. These are Postgres statements: a few saturate the CPUs, and more would only lengthen
 * the queue that emails and requests also wait in.
 */
const executionSlots = 5 * Math.max(2, availableParallelism());

/**
 * Half of the polls look for tasks of cached workflows, half for all others. A poll holds a slot while it waits, so
 * there must be more slots than steps: with as many polls as slots and the SDK's default ratio, eight of ten slots
 * waited for cached workflows while a backlog went through the other two.
 */
const executionPolls = 10;

/** Two emails are parsed at a time; the others wait for their project's turn. */
const inboundSlots = 10;

/** Each keeps a connection of Postgres busy; the others wait for their project's turn. */
const erasureSlots = 2;

/** For ten sweeps, three long steps of campaigns per CPU (`limit-long-steps.ts`), and a few short ones. */
const jobSteps = 14 + 3 * Math.max(2, availableParallelism());

/** An email batch ends within moments, or sleeps for seconds and is replayed. */
const mostCachedBatches = 50;

/** Sweeps and segments, and eleven campaigns with their batches; those that wait for hours are replayed. */
const mostCachedJobs = 100;

export async function startWorkers(
  { config, environment, dataConverter, tracing, log }: ProcessResources,
  activities: Activities,
  campaignActivities: CampaignBatchActivities,
) {
  const { connectionOptions, namespace } = temporalConnectionConfig(environment);
  const [connection, workflowBundle] = await Promise.all([
    NativeConnection.connect(connectionOptions),
    loadWorkflowBundle(),
  ]);
  const common: WorkerOptions = {
    connection,
    namespace,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    dataConverter,
    interceptors: { activity: tracing === undefined ? [] : [traceActivities(tracing)] },
    shutdownGraceTime: `${config.SHUTDOWN_GRACE_SECONDS}s`,
    shutdownForceTime: `${config.SHUTDOWN_GRACE_SECONDS + 5}s`,
  };
  // In parallel: each waits for its workflow thread to load.
  const options = workerOptions(config, workflowBundle, activities, campaignActivities);
  const workers = await Promise.all(options.map((own) => Worker.create({ ...common, ...own })));
  return runTogether(workers, connection, log);
}

function workerOptions(
  { TEMPORAL_TASK_QUEUE: taskQueue, TEMPORAL_CACHED_WORKFLOWS: cachedWorkflows }: Config,
  workflowBundle: WorkflowBundleOption,
  activities: Activities,
  campaignActivities: CampaignBatchActivities,
): Partial<WorkerOptions>[] {
  const maxConcurrentActivityTaskExecutions = 40;
  return [
    {
      workflowBundle,
      activities,
      maxConcurrentActivityTaskExecutions,
      maxConcurrentWorkflowTaskExecutions: executionSlots + executionPolls / 2,
      workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: executionPolls },
      nonStickyToStickyPollRatio: 0.5,
      // Time until tasks of a killed worker's cached workflows go to another worker. Under load, tasks of live workers
      // wait for seconds too: they would go to the end of the queue, and other workers would replay their workflows.
      stickyQueueScheduleToStartTimeout: '10s',
      maxConcurrentLocalActivityExecutions: executionSlots,
      // Executions wait for days; sleeping ones need not stay in memory.
      maxCachedWorkflows: cachedWorkflows,
    },
    // Own slots and thread, so that no job waits for workflow executions.
    {
      workflowBundle,
      activities,
      maxConcurrentActivityTaskExecutions,
      taskQueue: jobTaskQueue(taskQueue),
      maxConcurrentWorkflowTaskExecutions: 40,
      // Soon another worker continues the campaigns of one that was killed.
      stickyQueueScheduleToStartTimeout: '2s',
      maxConcurrentLocalActivityExecutions: jobSteps,
      maxCachedWorkflows: Math.min(cachedWorkflows, mostCachedJobs),
    },
    // As above, so that emails wait for neither.
    {
      workflowBundle,
      maxConcurrentActivityTaskExecutions,
      stickyQueueScheduleToStartTimeout: '2s',
      taskQueue: emailTaskQueue(taskQueue),
      activities: { dispatchEmails: activities.dispatchEmails },
      maxConcurrentWorkflowTaskExecutions: 40,
      maxCachedWorkflows: Math.min(cachedWorkflows, mostCachedBatches),
    },
    {
      taskQueue: inboundTaskQueue(taskQueue),
      activities: { receiveInboundEmail: activities.receiveInboundEmail },
      maxConcurrentActivityTaskExecutions: inboundSlots,
    },
    {
      taskQueue: erasureTaskQueue(taskQueue),
      activities: { eraseProject: activities.eraseProject, eraseEvents: activities.eraseEvents },
      maxConcurrentActivityTaskExecutions: erasureSlots,
    },
    // Own slots, so that campaigns never take those of transactional email. No workflows, so no sandbox.
    {
      taskQueue: campaignTaskQueue(taskQueue),
      activities: campaignActivities,
      // A batch waiting for its send rate also holds a slot; the activity itself limits concurrent hand-overs.
      maxConcurrentActivityTaskExecutions: 40,
      maxHeartbeatThrottleInterval: '1s',
      defaultHeartbeatThrottleInterval: '1s',
    },
  ];
}

function runTogether(workers: readonly Worker[], connection: NativeConnection, log: Logger) {
  const shutDown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // A process with only some of its workers would look alive but do part of the work.
  const ended = Promise.allSettled(workers.map((worker) => worker.run().finally(shutDown)))
    .then((ends) => {
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    })
    .finally(() => connection.close());
  ended.catch(() => undefined);
  return {
    state: () => workers[0]?.getState() ?? 'FAILED',
    /** Settles when all workers have ended; rejects unless they were stopped. */
    ended,
    async stop() {
      shutDown();
      await ended.catch((error) => log.error({ err: error }, 'The worker ended with an error'));
    },
  };
}
