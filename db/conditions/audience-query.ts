import type { z } from 'zod';
import type { Em } from '../orm.ts';
import { query, withSettings } from '../sql.ts';

/**
 * How many contacts a statement evaluates a condition for: `few`, found by index look-ups (a page, a batch); `given` ones,
 * where every part of the statement looks rows up by key; or `all` of a project, reading whole event names at once.
 */
export type Reach = 'few' | 'given' | 'all';

/**
 * Planner settings. JIT compilation never pays off here.
 *
 * all: a random page cost of 2 makes the planner read statistics of a scattered event name page by page instead of row
 * by row, three times faster; `work_mem` fits a hash of a million contacts. Parallel workers cost nothing, because the
 * planner does not know how expensive tests of `data` are and underestimates the work.
 *
 * few: too little memory for hashes keeps the planner from reading all events of a name for one page of contacts.
 */
const settings: Readonly<Record<Reach, string>> = {
  all: `set local jit = off; set local random_page_cost = 2; set local work_mem = '64MB';
    set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0`,
  few: `set local jit = off; set local work_mem = '64kB'`,
  given: `set local jit = off; set local work_mem = '64kB'; set local enable_seqscan = off;
    set local enable_hashjoin = off; set local enable_mergejoin = off`,
};

/**
 * End of a sub-query of `exists`. Of `given` contacts, each is looked up: Postgres would otherwise read all contacts of an
 * event or segment into a hash while it expects few, and no planner setting keeps it from that.
 */
export const endOfExists = (reach: Reach | undefined): string => (reach === 'given' ? ' offset 0' : '');

export function audienceQuery<Row extends z.ZodType>(
  em: Em,
  reach: Reach,
  row: Row,
  text: string,
  parameters: readonly unknown[],
): Promise<z.output<Row>[]> {
  return withSettings(em, settings[reach], (inner) => query(inner, row, text, parameters));
}
