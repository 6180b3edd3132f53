import type { CampaignStatus } from '../../core/campaign-state.ts';
import { openJobStates } from '../../core/jobs/job-states.ts';
import { activeStatuses } from '../../core/workflows/execution-status.ts';

/** `('a', 'b')`, from constants. */
const listSql = (values: readonly string[]) => `(${values.map((value) => `'${value}'`).join(', ')})`;

// Written as in the partial indexes, so that Postgres can use them.

export const activeStatusesSql = listSql(activeStatuses);

export const activeCampaignStatusesSql = listSql(['SCHEDULED', 'SENDING'] satisfies CampaignStatus[]);

export const openJobStatesSql = listSql(openJobStates);
