import { z } from 'zod';
import { isStatementTimeout } from '../../database-errors.ts';
import type { Em } from '../../orm.ts';
import { execute, query } from '../../sql.ts';

const addressesAtMost = 2_000;
/** Most searches take a few milliseconds. One of nothing but common parts that hardly occur together could take seconds. */
const patienceMs = 500;
/** The index is of sequences of three letters or digits. */
const indexedPart = /[\p{L}\p{N}]{3}/u;

/**
 * The addresses of a project that contain a text, through the index of their parts. Undefined if they are more than 2,000 or take too
 * long to find, and for a text that is too short for the index.
 */
export async function findAddresses(
  em: Em,
  projectId: string,
  search: string,
): Promise<string[] | undefined> {
  if (!indexedPart.test(search)) return undefined;
  const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  try {
    const rows = await em.fork().transactional(async (run) => {
      await execute(run, `set local statement_timeout = ${patienceMs}`);
      return query(
        run,
        z.object({ email: z.string() }),
        'select email from contacts where project_id = $1 and email like $2 limit $3',
        [projectId, pattern, addressesAtMost + 1],
      );
    });
    return rows.length > addressesAtMost ? undefined : rows.map(({ email }) => email);
  } catch (error) {
    if (isStatementTimeout(error)) return undefined;
    throw error;
  }
}
