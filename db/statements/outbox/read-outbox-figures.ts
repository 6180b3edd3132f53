import { z } from 'zod';
import { lanes } from '../../../core/outbox-lanes.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const figuresRow = z.object({
  lane: z.enum(lanes),
  waiting: z.int(),
  dead: z.int(),
  oldestSeconds: z.number(),
});
export type OutboxFigures = z.output<typeof figuresRow>;

// A statement, because it aggregates by an expression.
export async function readOutboxFigures(em: Em): Promise<OutboxFigures[]> {
  const sql = `select case when kind = 'email.dispatch' then 'emails' else 'work' end as lane,
       count(*) filter (where dead_at is null)::int as waiting,
       count(*) filter (where dead_at is not null)::int as dead,
       coalesce(extract(epoch from now() - min(created_at) filter (where dead_at is null)), 0)::float8
         as "oldestSeconds"
     from outbox group by 1`;
  const rows = await query(em, figuresRow, sql);
  return lanes.map(
    (lane) => rows.find((row) => row.lane === lane) ?? { lane, waiting: 0, dead: 0, oldestSeconds: 0 },
  );
}
