/**
 * Condition for the emails of a campaign's batch. Emails of other projects may lie between its ids; with the project and
 * the source, the planner finds those of the batch in the index `emails_log`.
 *
 * @param email alias of `emails`
 * @param batch alias of `campaign_batches`
 * @param projectId SQL of the campaign's project
 */
export const isOfBatchSql = (email: string, batch: string, projectId: string) =>
  `${email}.project_id = ${projectId} and ${email}.source = 'CAMPAIGN'
    and ${email}.id between ${batch}.first_email_id and ${batch}.last_email_id
    and ${email}.campaign_id is not distinct from ${batch}.campaign_id`;
