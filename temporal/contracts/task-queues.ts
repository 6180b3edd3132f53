const jobs = '-jobs';

/** @param own the main task queue, or that of jobs: workflows only know the one that they run on */
const derived = (name: string) => (own: string) =>
  `${own.endsWith(jobs) ? own.slice(0, -jobs.length) : own}${name}`;

/**
 * Campaigns, imports, segments, sweeps and all other workflows that rarely become due together. Thousands of executions, or of snoozes, may
 * become due at once on the main task queue, and there a workflow that a worker has in memory waits behind all of them.
 */
export const jobTaskQueue = derived(jobs);

/** Email batches have their own worker: workflow executions never take its slots, thread or tasks. */
export const emailTaskQueue = derived('-emails');

/** Received emails have their own slots: emails that wait while their bucket does not answer hold up nothing else. */
export const inboundTaskQueue = derived('-inbound');

/** Erasures take up to hours: while they run or wait for their turn, they hold up nothing else. */
export const erasureTaskQueue = derived('-erasures');

/** Batches of campaigns have their own slots, so that they never take those of anything else. */
export const campaignTaskQueue = derived('-campaigns');

export const taskQueues = (taskQueue: string) => [
  taskQueue,
  jobTaskQueue(taskQueue),
  emailTaskQueue(taskQueue),
  inboundTaskQueue(taskQueue),
  erasureTaskQueue(taskQueue),
  campaignTaskQueue(taskQueue),
];

/** For Temporal's lists of workflows. */
export const onTaskQueues = (names: readonly string[]) =>
  `TaskQueue in (${names.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')})`;
