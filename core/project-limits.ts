/** Limit for keys of `data` and for event names; enforced by db/functions/limit-project-rows.sql. */
export const mostRecordedNames = 10_000;
