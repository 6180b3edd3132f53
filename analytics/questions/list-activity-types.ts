import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import type { Question } from '../client/question.ts';

const row = z.object({ type: z.string() });

const question: Question<{ projectId: string }, z.output<typeof row>> = {
  name: 'activity-types',
  sql: `
SELECT DISTINCT activity_type AS type
FROM event_name
WHERE project_id = {projectId:UUID} AND activity_type != ''
ORDER BY type`,
  row,
};

export async function listActivityTypes(clickhouse: ClickHouse, projectId: string): Promise<string[]> {
  const rows = await clickhouse.query(question, { projectId });
  return rows.map((found) => found.type);
}
