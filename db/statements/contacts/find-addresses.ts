import { z } from 'zod';
import { isStatementTimeout } from '../../database-errors.ts';
import { withinTime } from '../../limit-statements.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const addressesAtMost = 2_000;
/**
 * Most searches take a few milliseconds. A text made only of common parts that rarely occur together could take
 * seconds.
 */
const patienceMs = 500;
/** The index holds sequences of three letters or digits. */
const indexedPart = /[\p{L}\p{N}]{3}/u;

const found = z.object({ id: z.uuid(), email: z.string() });

/**
 * The text to look up. For a whole address only the part up to the `@`: intersecting the common sequences of the domain
 * with the others takes four times as long.
 */
function partOf(search: string): string {
  const name = search.slice(0, search.indexOf('@') + 1);
  return indexedPart.test(name) ? name : search;
}

/**
 * The contacts of a project whose addresses contain a lower-case text, found through the trigram index. Undefined if
 * there are more than `atMost`, the search takes too long, or the text is too short for the index.
 */
export async function findByAddressPart(em: Em, projectId: string, search: string, atMost: number) {
  if (!indexedPart.test(search)) return undefined;
  const part = partOf(search);
  // Added only where needed: it makes the planner expect too few contacts and use the index for a part that all share.
  const whole = part === search ? '' : 'and position($4 in email) > 0';
  try {
    const sql = `select id, email from contacts where project_id = $1 and email like $2 ${whole} limit $3`;
    const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const parameters = [projectId, pattern, atMost + 1, ...(whole ? [search] : [])];
    const rows = await withinTime(em.fork(), patienceMs, (run) => query(run, found, sql, parameters));
    return rows.length > atMost ? undefined : rows;
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}

/** Like `findByAddressPart`, but returns addresses, at most 2,000. */
export async function findAddresses(
  em: Em,
  projectId: string,
  search: string,
): Promise<string[] | undefined> {
  const contacts = await findByAddressPart(em, projectId, search, addressesAtMost);
  return contacts?.map(({ email }) => email);
}
