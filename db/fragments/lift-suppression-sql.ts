/**
 * Assignments of an update of `contacts c`: subscribing lifts the suppression.
 *
 * @param subscribes condition; null is false
 */
export const liftSuppressionSql = (subscribes: string) =>
  ['suppression_reason', 'suppressed_at', 'suppressed_email_id']
    .map((column) => `${column} = case when ${subscribes} then null else c.${column} end`)
    .join(', ');
