import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';
import type { Reader, Touched } from './batch-segments.ts';

const readerRow = z.object({ id: z.uuid(), inputs: z.array(z.string()), filters: z.int() });

/** The tracked dynamic segments of a project that read any of the touched inputs, by id. */
export function listReaders(em: Em, projectId: string, touched: Touched): Promise<Reader[]> {
  const sql = `select s.id, s.inputs, (
       with recursive expanded (filters, refers_to) as (
         select s.filter_count, s.refers_to
         union all
         select r.filter_count, r.refers_to
         from expanded e
         cross join lateral unnest(e.refers_to) i (id)
         join segments r on r.id = i.id and r.project_id = $1
       )
       select sum(filters)::int from expanded) as filters
     from segments s
     where s.project_id = $1 and s.type = 'DYNAMIC' and s.track_membership and s.inputs && $2::text[]
     order by s.id`;
  return query(em, readerRow, sql, [projectId, [...touched.keys()]]);
}
