/** Email batches have their own worker: workflow executions never take its slots, thread or tasks. */
export const emailTaskQueue = (taskQueue: string) => `${taskQueue}-emails`;

/** Received emails have their own slots: emails that wait while their bucket does not answer hold up nothing else. */
export const inboundTaskQueue = (taskQueue: string) => `${taskQueue}-inbound`;

/** Erasures take up to hours: while they run or wait for their turn, they hold up nothing else. */
export const erasureTaskQueue = (taskQueue: string) => `${taskQueue}-erasures`;

export const campaignTaskQueue = (taskQueue: string) => `${taskQueue}-campaigns`;

export const taskQueues = (taskQueue: string) => [
  taskQueue,
  emailTaskQueue(taskQueue),
  inboundTaskQueue(taskQueue),
  erasureTaskQueue(taskQueue),
  campaignTaskQueue(taskQueue),
];
