import { z } from 'zod';
import { isStatementTimeout } from '../../database-errors.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const addressesAtMost = 2_000;
/** Most searches take a few milliseconds. One of nothing but common parts that hardly occur together could take seconds. */
const patienceMs = 500;
/** The index is of sequences of three letters or digits. */
const indexedPart = /[\p{L}\p{N}]{3}/u;

const found = z.object({ id: z.uuid(), email: z.string() });

/**
 * What is looked up. Of a whole address only what is before the `@`: to intersect the common sequences of its domain with the others takes
 * four times as long.
 */
function partOf(search: string): string {
  const name = search.slice(0, search.indexOf('@') + 1);
  return indexedPart.test(name) ? name : search;
}

/**
 * The contacts of a project whose addresses contain a text in lower case, through the index of their parts. Undefined if they are more
 * than `atMost` or take too long to find, and for a text that is too short for the index.
 */
export async function findByAddressPart(
  em: Em,
  projectId: string,
  search: string,
  atMost: number,
): Promise<z.output<typeof found>[] | undefined> {
  if (!indexedPart.test(search)) return undefined;
  const part = partOf(search);
  // Only where it is needed: the planner would expect too few contacts, and read the index for a part that all have.
  const whole = part === search ? '' : 'and position($4 in email) > 0';
  try {
    const rows = await em.fork().transactional(async (run) => {
      await execute(run, `set local statement_timeout = ${patienceMs}`);
      return query(
        run,
        found,
        `select id, email from contacts where project_id = $1 and email like $2 ${whole} limit $3`,
        [projectId, `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`, atMost + 1, ...(whole ? [search] : [])],
      );
    });
    return rows.length > atMost ? undefined : rows;
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}

/** The same for at most 2,000 addresses. */
export async function findAddresses(
  em: Em,
  projectId: string,
  search: string,
): Promise<string[] | undefined> {
  const contacts = await findByAddressPart(em, projectId, search, addressesAtMost);
  return contacts?.map(({ email }) => email);
}
