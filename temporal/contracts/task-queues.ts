/** Email batches have their own worker: workflow executions never take its slots, thread or tasks. */
export const emailTaskQueue = (taskQueue: string) => `${taskQueue}-emails`;

/** Reading received emails has its own slots: those that wait while their bucket is silent hold up nothing else. */
export const inboundTaskQueue = (taskQueue: string) => `${taskQueue}-inbound`;

export const campaignTaskQueue = (taskQueue: string) => `${taskQueue}-campaigns`;

export const taskQueues = (taskQueue: string) => [
  taskQueue,
  emailTaskQueue(taskQueue),
  inboundTaskQueue(taskQueue),
  campaignTaskQueue(taskQueue),
];
