import { workflowInfo } from '@temporalio/workflow';

/**
 * Events per run before continuing as new. Histories recorded under one limit do not replay under another, so a change
 * needs a patch.
 */
const historyLimits = {
  emailBatch: 5_000,
  campaignBatch: 5_000,
  segments: 4_000,
  contactSnooze: 500,
  workflowExecution: 500,
};

export function isHistoryLong(limit?: keyof typeof historyLimits): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || (limit !== undefined && historyLength > historyLimits[limit]);
}
