/**
 * SQL: a notification was not handled by a process of a version before 2026-11-23
 * (`db/functions/share-handled-notifications.sql`).
 */
export const isNotHandledBeforeSql = (id: string) =>
  `(select true from provider_notifications o where o.id = ${id}) is null`;
