import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/** Bytes of the JSON of a workflow's configs and positions, as Postgres writes it: `1e300` has 301 digits. */
export async function measureSteps(em: Em, workflowId: string): Promise<number> {
  const sql = `select sum(octet_length(config::text) + coalesce(octet_length(position::text), 0))::float8 as bytes
     from workflow_steps where workflow_id = $1`;
  return (await queryValue(em, z.number().nullable(), sql, [workflowId])) ?? 0;
}
