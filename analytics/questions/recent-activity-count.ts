import { z } from 'zod';
import type { ClickHouse } from '../clickhouse.ts';
import { countColumn, type Question, toInstantParameter } from '../client/question.ts';

const row = z.object({ count: countColumn });

const question: Question<{ projectId: string; since: string }, z.output<typeof row>> = {
  name: 'recent-activity-count',
  sql: `
SELECT count() AS count
FROM event FINAL
WHERE project_id = {projectId:UUID} AND occurred_at >= {since:DateTime64(3, 'UTC')} AND activity_type != ''`,
  row,
};

export async function recentActivityCount(
  clickhouse: ClickHouse,
  projectId: string,
  since: Date,
): Promise<number> {
  const [answer] = await clickhouse.query(question, { projectId, since: toInstantParameter(since) });
  return answer?.count ?? 0;
}
