/**
 * Condition for queued emails that may be claimed.
 *
 * @param email alias of `emails`
 */
export const isDueSql = (email: string) =>
  `${email}.status = 'QUEUED' and (${email}.retry_at is null or ${email}.retry_at <= now())`;
