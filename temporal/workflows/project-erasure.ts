import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ProjectErasureActivities, ProjectErasureInput } from '../contracts/project-erasure.ts';

const { eraseProject, closeProjectErasure } = proxyActivities<ProjectErasureActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

const secondPassAfterMs = 5 * 60 * 1000;

export async function projectErasure(input: ProjectErasureInput): Promise<void> {
  setCurrentDetails('Deletes in Postgres, in ClickHouse and at the provider.');
  await eraseProject(input);
  setCurrentDetails('Erased everywhere. A second pass follows, for writes that were in progress.');
  await sleep(secondPassAfterMs);
  await eraseProject(input);
  await closeProjectErasure(input);
  setCurrentDetails('Gone everywhere.');
}
