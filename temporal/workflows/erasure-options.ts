import { workflowInfo } from '@temporalio/workflow';
import { erasureTaskQueue } from '../contracts/task-queues.ts';

/** Allows for a whole erasure, as executions from before the slices ask for it. */
export const erasureOptions = {
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;

export const sliceOptions = () => ({
  ...erasureOptions,
  taskQueue: erasureTaskQueue(workflowInfo().taskQueue),
});

export const secondPassAfterMs = 5 * 60 * 1000;
