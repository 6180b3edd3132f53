import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

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
