import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import type { Question } from '../client/question.ts';

export const mostEventNames = 10_000;

const row = z.object({ name: z.string() });

const question: Question<{ projectId: string; limit: number }, z.output<typeof row>> = {
  name: 'event-names',
  sql: `
SELECT DISTINCT name
FROM event_name
WHERE project_id = {projectId:UUID} AND kind IN ('tracked', 'emitted')
ORDER BY name
LIMIT {limit:UInt32}`,
  row,
};

export async function eventNames(clickhouse: ClickHouse, projectId: string): Promise<string[]> {
  const rows = await clickhouse.query(question, { projectId, limit: mostEventNames });
  return rows.map((found) => found.name);
}

const typeRow = z.object({ type: z.string() });

const typesQuestion: Question<{ projectId: string }, z.output<typeof typeRow>> = {
  name: 'activity-types',
  sql: `
SELECT DISTINCT activity_type AS type
FROM event_name
WHERE project_id = {projectId:UUID} AND activity_type != ''
ORDER BY type`,
  row: typeRow,
};

export async function listActivityTypes(clickhouse: ClickHouse, projectId: string): Promise<string[]> {
  const rows = await clickhouse.query(typesQuestion, { projectId });
  return rows.map((found) => found.type);
}
