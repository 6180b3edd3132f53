import {
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { erasureSlice } from '../contracts/erasure-slice.ts';
import type { ProjectErasureActivities, ProjectErasureInput } from '../contracts/project-erasure.ts';
import { erasureTaskQueue } from '../contracts/task-queues.ts';
import { isHistoryLong } from './history-limits.ts';

const options = {
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
const { eraseProject: eraseWhole, closeProjectErasure } = proxyActivities<ProjectErasureActivities>(options);

const secondPassAfterMs = 5 * 60 * 1000;

export async function projectErasure(input: ProjectErasureInput): Promise<void> {
  const inSlices = patched('erasure-slices');
  setCurrentDetails('Deletes in Postgres, in ClickHouse and at the provider.');
  await erase(input, inSlices);
  setCurrentDetails('Erased everywhere. A second pass follows, for writes that were in progress.');
  await sleep(secondPassAfterMs);
  await erase(input, inSlices);
  await closeProjectErasure(input);
  setCurrentDetails('Gone everywhere.');
}

async function erase(input: ProjectErasureInput, inSlices: boolean): Promise<void> {
  if (!inSlices) {
    await eraseWhole(input);
    return;
  }
  const taskQueue = erasureTaskQueue(workflowInfo().taskQueue);
  const { eraseProject } = proxyActivities<ProjectErasureActivities>({ ...options, taskQueue });
  while (await eraseProject({ ...input, ...erasureSlice })) {
    if (isHistoryLong()) await continueAsNew<typeof projectErasure>(input);
  }
}
