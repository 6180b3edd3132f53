import { z } from 'zod';
import { activeStatusesSql } from '../../fragments/active-statuses-sql.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

export async function findActiveExecutions(em: Em, ids: readonly string[]): Promise<Set<string>> {
  const rows = await query(
    em,
    z.object({ id: z.uuid() }),
    `select id from workflow_executions where id = any($1::uuid[]) and status in ${activeStatusesSql}`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
