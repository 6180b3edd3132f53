import { continueAsNew, patched, proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import { erasureSlice } from '../contracts/erasure-slice.ts';
import type { ProjectErasureActivities, ProjectErasureInput } from '../contracts/project-erasure.ts';
import { erasureOptions, secondPassAfterMs, sliceOptions } from './erasure-options.ts';
import { isHistoryLong } from './history-limits.ts';

const { eraseProject: eraseWhole, closeProjectErasure } =
  proxyActivities<ProjectErasureActivities>(erasureOptions);

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
  const { eraseProject } = proxyActivities<ProjectErasureActivities>(sliceOptions());
  while (await eraseProject({ ...input, ...erasureSlice })) {
    if (isHistoryLong()) await continueAsNew<typeof projectErasure>(input);
  }
}
