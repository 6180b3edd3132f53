export type Filter = Record<string, unknown>;

/** Condition of a segment: every filter holds. */
export const all = (...filters: Filter[]) => ({ logic: 'AND', groups: [{ filters }] });

/** Condition of a segment: every filter of at least one group holds. */
export const any = (...groups: Filter[][]) => ({
  logic: 'OR',
  groups: groups.map((filters) => ({ filters })),
});
