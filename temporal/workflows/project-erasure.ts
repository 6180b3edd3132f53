import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ProjectErasureActivities, ProjectErasureInput } from '../contracts/project-erasure.ts';

const { eraseProject, closeProjectErasure } = proxyActivities<ProjectErasureActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '250 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Longer than any request or insert into ClickHouse can be under way. */
const secondLookAfterMs = 5 * 60 * 1000;

/** Erases the data of a project everywhere, however long a part of the system is away. */
export async function projectErasure(input: ProjectErasureInput): Promise<void> {
  setCurrentDetails('Deletes in Postgres, in ClickHouse and at the provider.');
  await eraseProject(input);
  setCurrentDetails('Gone everywhere. A second look follows, for what was under way meanwhile.');
  await sleep(secondLookAfterMs);
  await eraseProject(input);
  await closeProjectErasure(input);
  setCurrentDetails('Gone everywhere.');
}
