import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** How many contacts a project has, and how many of them are what. */
export interface AudienceFigures {
  contacts: number;
  subscribed: number;
  /** Contacts whose snooze has not ended; none of them is subscribed. */
  snoozed: number;
}

/** Folded figures and the changes since then, of $1: one snapshot sees each change in exactly one of the two. */
const partsSql = `
  select figure, value from contact_figures where project_id = $1
  union all
  select figure, change from contact_figure_changes where project_id = $1`;

/** The exact figures of a project, at the cost of a few rows. */
export async function readAudienceFigures(em: Em, projectId: string): Promise<AudienceFigures> {
  const rows = await sql<{ figure: keyof AudienceFigures; value: number }>(
    em,
    `select figure, sum(value)::int as value from (${partsSql}) part
     where figure in ('contacts', 'subscribed', 'snoozed') group by figure`,
    [projectId],
  );
  const figures = { contacts: 0, subscribed: 0, snoozed: 0 };
  for (const { figure, value } of rows) figures[figure] = value;
  return figures;
}

/**
 * For each key of `data` the exact number of contacts that have it; keys that nobody has are left out.
 * @param key only this one
 */
export async function readKeyFigures(em: Em, projectId: string, key?: string): Promise<Map<string, number>> {
  const rows = await sql<{ key: string; value: number }>(
    em,
    `select substr(figure, 6) as key, sum(value)::int as value from (${partsSql}) part
     where ${key === undefined ? `starts_with(figure, 'data.')` : `figure = 'data.' || $2::text`}
     group by figure having sum(value) <> 0`,
    key === undefined ? [projectId] : [projectId, key],
  );
  return new Map(rows.map((row) => [row.key, row.value]));
}

/** A figure of a project, by its name in `contact_figures`. */
interface FigureName {
  projectId: string;
  figure: string;
}

export interface FoldResult {
  /** Changes that were folded, fewer than asked for when there are no more. */
  folded: number;
  /** Keys of `data` that contacts have and that have no type. */
  untyped: { projectId: string; key: string }[];
}

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

/**
 * Folds up to `limit` changes into the figures, in one statement. Any number of processes may do so at once: each
 * takes other changes, and they write the figures in one order. Figures that come to nothing are deleted.
 */
export async function foldContactFigures(em: Em, limit: number): Promise<FoldResult> {
  const [row] = await sql<FoldResult & { empty: FigureName[] }>(em, foldSql, [limit]);
  if (row === undefined) throw new Error('The fold of the figures answered no row');
  // Another fold may have added to them meanwhile: the row as it is now is looked at.
  if (row.empty.length > 0) await deleteEmptyFigures(em, row.empty);
  return { folded: row.folded, untyped: row.untyped };
}

async function deleteEmptyFigures(em: Em, figures: readonly FigureName[]): Promise<void> {
  await sql(
    em,
    `delete from contact_figures f
     using json_to_recordset($1::json) as e("projectId" uuid, figure text)
     where f.project_id = e."projectId" and f.figure = e.figure and f.value = 0`,
    [JSON.stringify(figures)],
  );
}
