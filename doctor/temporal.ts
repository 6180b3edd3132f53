import { type Client, isGrpcServiceError, type ScheduleDescription } from '@temporalio/client';
import type { Config } from '../core/config/schema.ts';
import { scheduleIds } from '../temporal/client/schedules.ts';
import { searchAttributeNames } from '../temporal/contracts/search-attributes.ts';
import { onTaskQueues, taskQueues } from '../temporal/contracts/task-queues.ts';
import { type Finding, presentAge, reporter } from './finding.ts';

const report = reporter('Temporal');
const oldestSupported = [1, 29] as const;
/** temporal.api.enums.v1.TaskQueueType */
const workflowTasks = 1;
const activityTasks = 2;
const grpcNotFound = 5;
/**
 * Temporal lists a worker for five minutes after its end. A running worker asks each queue for work at least once a
 * minute, unless all of its slots there are taken. Half a minute more, because `clockOf` is ahead by at most that much.
 */
const longestSilenceSeconds = 120;
const longestWaitSeconds = 10 * 60;

export async function checkTemporal(
  client: Client,
  config: Config,
  { lateSeconds = longestWaitSeconds } = {},
): Promise<Finding[]> {
  const { serverVersion = '' } = await client.workflowService.getSystemInfo({});
  const findings = [checkVersion(serverVersion ?? '')];
  const problem = await checkNamespace(client);
  if (problem !== undefined) return [...findings, problem];
  const schedules = await describeSchedules(client);
  const queues = await describeQueues(client, config.TEMPORAL_TASK_QUEUE);
  return [
    ...findings,
    checkWorkers(queues, clockOf(schedules)),
    ...checkWaiting(queues, lateSeconds),
    ...(await checkFailing(client, config.TEMPORAL_TASK_QUEUE)),
    checkSchedules(schedules),
  ];
}

function checkVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestSupported;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
    return report.ok(`${version} answers`);
  }
  return report.error(
    `${version} is too old`,
    `Posthaste needs a Temporal server ${oldestSupported.join('.')} or later: older ones ignore fairness between projects.`,
  );
}

async function checkNamespace(client: Client): Promise<Finding | undefined> {
  const { namespace } = client.options;
  const attributes = await client.connection.operatorService
    .listSearchAttributes({ namespace })
    .catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === grpcNotFound) return undefined;
      throw error;
    });
  if (attributes === undefined) {
    return report.error(
      `the namespace ${namespace} does not exist: no command reaches Temporal`,
      'Set TEMPORAL_NAMESPACE, or register it: docker compose up --detach temporal-namespace',
    );
  }
  const { customAttributes } = attributes;
  const missing = searchAttributeNames.filter((name) => customAttributes?.[name] === undefined);
  if (missing.length === 0) return undefined;
  return report.error(
    `the namespace ${namespace} has no search attributes ${missing.join(', ')}: it refuses every command`,
    'Register them: docker compose up --detach temporal-namespace',
  );
}

type Queues = Awaited<ReturnType<typeof describeQueues>>;

async function describeQueues(client: Client, taskQueue: string) {
  const describe = (name: string, taskQueueType: number) =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name },
      taskQueueType,
      reportStats: true,
    });
  const queues = [];
  for (const name of taskQueues(taskQueue)) {
    const { pollers, stats } = await describe(name, activityTasks);
    const others = await describe(name, workflowTasks);
    queues.push({ name, pollers: pollers ?? [], backlogs: [stats, others.stats] });
  }
  return queues;
}

function checkWorkers(queues: Queues, now: number): Finding {
  const idle = queues.filter(({ pollers }) => pollers.length === 0).map(({ name }) => name);
  const polls = queues.flatMap(({ pollers }) =>
    pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0)),
  );
  const remedy = 'Start a worker, with the same TEMPORAL_TASK_QUEUE and namespace as the API.';
  if (idle.length > 0) return report.error(`no worker polls ${idle.join(', ')}`, remedy);
  const silentSeconds = now / 1_000 - Math.max(...polls);
  if (silentSeconds > longestSilenceSeconds)
    return report.error(`no worker has asked for work for ${presentAge(silentSeconds)}`, remedy);
  return report.ok('all task queues have workers');
}

function checkWaiting(queues: Queues, lateSeconds: number): Finding[] {
  return queues.flatMap(({ name, backlogs }) => {
    const oldestSeconds = Math.max(
      ...backlogs.map((backlog) => Number(backlog?.approximateBacklogAge?.seconds ?? 0)),
    );
    if (oldestSeconds < lateSeconds) return [];
    const count = backlogs.reduce((sum, backlog) => sum + Number(backlog?.approximateBacklogCount ?? 0), 0);
    return [
      report.warning(
        `about ${count} tasks wait in ${name}, the oldest for ${presentAge(oldestSeconds)}`,
        'There are too few workers, or they are waiting for something themselves. docs: "Task queues are slow".',
      ),
    ];
  });
}

/** Found by an index, where any value at all is not. */
const problems = `'category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut'`;
const mostFailing = 50;
const shownFailing = 3;

/** Temporal marks a workflow after several failures of its task in a row, until one succeeds. */
async function checkFailing(client: Client, taskQueue: string): Promise<Finding[]> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  // Servers before 1.30 have no such marks.
  if (!namespaceInfo?.capabilities?.reportedProblemsSearchAttribute) return [];
  const ofUs = `${onTaskQueues(taskQueues(taskQueue))} and ExecutionStatus = 'Running'`;
  const query = `${ofUs} and TemporalReportedProblems in (${problems})`;
  const failing: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: mostFailing })) {
    failing.push(workflowId);
    if (failing.length >= mostFailing) break;
  }
  if (failing.length === 0) return [];
  const count = failing.length < mostFailing ? failing.length : `${mostFailing} or more`;
  const names = failing.slice(0, shownFailing).join(', ');
  return [
    report.error(
      `${count} workflows stand still, because their workflow tasks fail: ${names}`,
      'The page of the workflow in the Temporal UI and the log of the workers have the error. docs: "Workflow tasks fail".',
    ),
  ];
}

/** Undefined for a missing schedule. */
type Schedules = [id: string, schedule: ScheduleDescription | undefined][];

async function describeSchedules(client: Client): Promise<Schedules> {
  const schedules: Schedules = [];
  for (const id of scheduleIds) {
    const schedule = await client.schedule
      .getHandle(id)
      .describe()
      .catch((error: Error) => {
        if (error.name === 'ScheduleNotFoundError') return undefined;
        throw error;
      });
    schedules.push([id, schedule]);
  }
  return schedules;
}

/**
 * Temporal does not report its time, and ours may differ: the next run of a schedule is ahead of Temporal's clock by at
 * most the interval of the most frequent schedule. Falls back to our clock when there are no schedules.
 */
function clockOf(schedules: Schedules): number {
  const next = schedules.flatMap(([, schedule]) => schedule?.info.nextActionTimes ?? []);
  return next.length === 0 ? Date.now() : Math.min(...next.map((at) => at.getTime()));
}

function checkSchedules(schedules: Schedules): Finding {
  const missing = schedules.filter(([, schedule]) => schedule === undefined).map(([id]) => id);
  const paused = schedules.filter(([, schedule]) => schedule?.state.paused).map(([id]) => id);
  if (missing.length > 0) {
    return report.error(`schedules are missing: ${missing.join(', ')}`, 'Restart a worker: it creates them.');
  }
  if (paused.length > 0) {
    return report.warning(`schedules are paused: ${paused.join(', ')}`, 'Unpause them in the Temporal UI.');
  }
  return report.ok(`all ${scheduleIds.length} schedules exist and none is paused`);
}
