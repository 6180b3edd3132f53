import type { Em } from '../orm.ts';
import { sql } from '../sql.ts';

/**
 * What a statement asks a condition for: `few` contacts, each by its own look-ups (a page, a batch, one contact), or
 * `all` of the project, for which whole event names are read at once.
 */
export type Reach = 'few' | 'all';

/**
 * What the planner is told besides. Compiling to machine code costs more than it gives in either case.
 *
 * all: with a price of 2, event names that are spread over the statistics are read page by page and not row by row,
 * three times faster; the memory holds a hash of a million contacts.
 *
 * few: without memory for hashes, the planner does not read all events of a name for the contacts of one page.
 */
const settings: Readonly<Record<Reach, string>> = {
  all: `set local jit = off; set local random_page_cost = 2; set local work_mem = '64MB'`,
  few: `set local jit = off; set local work_mem = '64kB'`,
};

/** Runs a statement over the contacts of an audience, in a transaction with settings for what it reaches. */
export function audienceSql<Row>(
  em: Em,
  reach: Reach,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  return em.transactional(async (inner) => {
    await sql(inner, settings[reach]);
    return sql<Row>(inner, text, parameters);
  });
}
