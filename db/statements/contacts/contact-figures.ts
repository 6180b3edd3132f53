import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { execute, query, queryRow } from '../../sql.ts';

const foldSql = `
with taken as materialized (
  select project_id, id from contact_figure_changes order by project_id, id limit $1 for update skip locked
),
removed as (
  delete from contact_figure_changes c using taken t
  where c.project_id = t.project_id and c.id = t.id
  returning c.project_id, c.figure, c.change
),
folded as (
  insert into contact_figures as f (project_id, figure, value)
  select project_id, figure, sum(change) from removed
  group by project_id, figure having sum(change) <> 0 order by project_id, figure
  on conflict (project_id, figure) do update set value = f.value + excluded.value
  returning project_id, figure, value
),
untyped as (
  select f.project_id, substr(f.figure, 6) as key
  from folded f
  where f.value > 0 and starts_with(f.figure, 'data.') and not exists (
    select from contact_fields t where t.project_id = f.project_id and t.key = substr(f.figure, 6))
)
select (select count(*)::int from removed) as folded,
  (select coalesce(json_agg(json_build_object('projectId', project_id, 'key', key)), '[]') from untyped) as untyped,
  (select coalesce(json_agg(json_build_object('projectId', project_id, 'figure', figure)), '[]')
    from folded where value = 0) as empty`;

const foldedRow = z.object({
  folded: z.int(),
  untyped: z.array(z.object({ projectId: z.uuid(), key: z.string() })),
  empty: z.array(z.object({ projectId: z.uuid(), figure: z.string() })),
});

/**
 * Folds up to `limit` changes into the figures. Safe to run concurrently: processes skip each other's changes and
 * write figures in one order. Deletes figures that reach 0.
 */
export async function foldContactFigures(em: Em, limit: number) {
  const row = await queryRow(em, foldedRow, foldSql, [limit]);
  const { folded, untyped, empty } = row;
  // In a separate statement, because a concurrent fold may have increased them.
  if (empty.length > 0) {
    const sql = `delete from contact_figures f
       using json_to_recordset($1::json) as e("projectId" uuid, figure text)
       where f.project_id = e."projectId" and f.figure = e.figure and f.value = 0`;
    await execute(em, sql, [JSON.stringify(empty)]);
  }
  return { folded, untyped };
}

const audienceFigures = ['contacts', 'subscribed', 'snoozed'] as const;

export type AudienceFigures = Record<(typeof audienceFigures)[number], number>;

/** Folded figures of $1 plus pending changes. One snapshot, so that each change is counted exactly once. */
const partsSql = `
  select figure, value from contact_figures where project_id = $1
  union all
  select figure, change from contact_figure_changes where project_id = $1`;

const audienceRow = z.object({ figure: z.enum(audienceFigures), value: z.int() });

export async function readAudienceFigures(em: Em, projectId: string): Promise<AudienceFigures> {
  const sql = `select figure, sum(value)::int as value from (${partsSql}) part
     where figure = any($2::text[]) group by figure`;
  const rows = await query(em, audienceRow, sql, [projectId, audienceFigures]);
  const figures = { contacts: 0, subscribed: 0, snoozed: 0 };
  for (const { figure, value } of rows) figures[figure] = value;
  return figures;
}

const keyRow = z.object({ key: z.string(), value: z.int() });

/**
 * Exact number of contacts per `data` key; unused keys are left out.
 *
 * @param key restricts the result to one key
 */
export async function readKeyFigures(em: Em, projectId: string, key?: string): Promise<Map<string, number>> {
  const sql = `select substr(figure, 6) as key, sum(value)::int as value from (${partsSql}) part
     where ${key === undefined ? `starts_with(figure, 'data.')` : `figure = 'data.' || $2::text`}
     group by figure having sum(value) <> 0`;
  const rows = await query(em, keyRow, sql, key === undefined ? [projectId] : [projectId, key]);
  return new Map(rows.map((row) => [row.key, row.value]));
}
