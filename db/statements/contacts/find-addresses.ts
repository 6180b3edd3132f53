import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const addressesAtMost = 2_000;

/**
 * The addresses of a project that contain a text, undefined if they are more than 2,000. Scans the index of addresses:
 * some 150 ms of CPU per million, in parallel, because the planner takes a pattern for rare.
 */
export async function findAddresses(
  em: Em,
  projectId: string,
  search: string,
): Promise<string[] | undefined> {
  const rows = await query(
    em,
    z.object({ email: z.string() }),
    'select email from contacts where project_id = $1 and email like $2 limit $3',
    [projectId, `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`, addressesAtMost + 1],
  );
  return rows.length > addressesAtMost ? undefined : rows.map((row) => row.email);
}
