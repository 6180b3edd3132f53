/** Email batches have their own worker: workflow executions never take its slots, thread or tasks. */
export const emailTaskQueue = (taskQueue: string) => `${taskQueue}-emails`;

export const campaignTaskQueue = (taskQueue: string) => `${taskQueue}-campaigns`;
