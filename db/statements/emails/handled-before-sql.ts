/**
 * Condition that no process of a version before 2026-11-23 has handled a notification
 * (`db/functions/share-handled-notifications.sql`).
 */
export const isNotHandledBeforeSql = (id: string) =>
  `(select true from provider_notifications o where o.id = ${id}) is null`;
