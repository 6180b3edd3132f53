/** Workflow hops (`core/workflows/endless.ts`) of what changed, by contact, where an execution caused it. */
export type HopsOfChanges = ReadonlyMap<string, number>;

export const hopsParameter = (hops: HopsOfChanges): string => JSON.stringify(Object.fromEntries(hops));

/** SQL: null for a contact whose changes no execution caused. */
export const hopsOfContactSql = (parameter: string, contactId: string): string =>
  `(${parameter}::jsonb ->> ${contactId}::text)::smallint`;
