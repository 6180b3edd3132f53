/** Workflow hops (`core/workflows/endless.ts`) by contact, for contacts changed by an execution. */
export type HopsOfChanges = ReadonlyMap<string, number>;

export const hopsParameter = (hops: HopsOfChanges): string => JSON.stringify(Object.fromEntries(hops));

/** SQL for a contact's hops; null when no execution caused its changes. */
export const hopsOfContactSql = (parameter: string, contactId: string): string =>
  `(${parameter}::jsonb ->> ${contactId}::text)::smallint`;
