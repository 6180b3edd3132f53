/**
 * Columns of `withholdingFactsSchema`.
 *
 * @param email alias of `emails`
 * @param project alias of `projects`, left-joined: emails of user accounts have none
 * @param contact alias of `contacts`, left-joined
 */
export const withholdingColumnsSql = (email: string, project: string, contact: string) => `
  ${email}.source, ${email}.type, coalesce(${project}.disabled, ${email}.source <> 'ACCOUNT') as "projectDisabled",
  coalesce(${project}.suppress_transactional, false) as "suppressTransactional",
  ${contact}.subscribed, ${contact}.suppression_reason is not null and not ${email}.custom_recipient as suppressed`;
