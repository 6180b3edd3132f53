import { z } from 'zod';
import { lastUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { execute, query, queryColumn } from '../../sql.ts';
import { replanHours } from './plan-clocks.ts';

/**
 * Projects with due changes of tracked segments, or with clocks to plan, longest-waiting turn first. Skips from project
 * to project in the primary key: one step per project with changes, none for quiet ones.
 */
export function listSegmentTurns(em: Em, limit: number): Promise<string[]> {
  const sql = `with recursive listed (project_id, id) as (
       (select project_id, id from segment_changes order by project_id, id limit 1)
       union all
       select n.project_id, n.id
       from listed l
       cross join lateral (
         select c.project_id, c.id from segment_changes c
         where c.project_id > l.project_id
         order by c.project_id, c.id limit 1
       ) n
     ),
     waiting (project_id) as (
       select project_id from listed where id <= ${lastUuidAtSql('now()')}
       union
       select project_id from segment_inputs where planned_until < now() + interval '${replanHours} hours'
     )
     select w.project_id as "projectId"
     from waiting w
     left join segment_rounds r on r.project_id = w.project_id
     where r.next_at is null or r.next_at <= now()
     order by r.next_at nulls first, w.project_id
     limit $1`;
  return queryColumn(em, z.uuid(), sql, [limit]);
}

/** @param pauseMs minimum time until the project's next turn */
export async function endSegmentTurn(em: Em, projectId: string, pauseMs: number): Promise<void> {
  const sql = `insert into segment_rounds (project_id, next_at) values ($1, now() + $2::float8 * interval '1 millisecond')
     on conflict (project_id) do update set next_at = excluded.next_at`;
  await execute(em, sql, [projectId, pauseMs]);
}

const staleRow = z.object({ projectId: z.uuid(), segmentId: z.uuid() });

/**
 * Tracked segments that have to be computed in full: the oldest of each project, then the second of each, and so on; of
 * several projects, the one whose segment has waited longest since its last turn. A statement, because it ranks them
 * within their projects.
 *
 * @param except ids left to a later round
 */
export function listStaleSegments(em: Em, except: readonly string[], limit: number) {
  const sql = `select project_id as "projectId", id as "segmentId"
     from segments
     where track_membership and type = 'DYNAMIC' and not is_current and id <> all ($1::uuid[])
     order by row_number() over (partition by project_id order by id), turn_ended_at nulls first, id
     limit $2`;
  return query(em, staleRow, sql, [except, limit]);
}
