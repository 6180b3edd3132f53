import type { CampaignStatus } from '../../core/campaign-state.ts';
import { openJobStates } from '../../core/jobs/job-states.ts';
import { activeStatuses } from '../../core/workflows/execution-status.ts';
import { listSql } from './list-sql.ts';

// In the form that the partial indexes use.

export const activeStatusesSql = listSql(activeStatuses);

export const activeCampaignStatusesSql = listSql(['SCHEDULED', 'SENDING'] satisfies CampaignStatus[]);

export const openJobStatesSql = listSql(openJobStates);
