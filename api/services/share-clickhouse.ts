import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { createHeavyReads } from './heavy-reads.ts';

/**
 * Limits the concurrent questions of a project, so that none takes up all connections to ClickHouse. Apart from the heavy
 * reads of Postgres, which do not wait for a slow ClickHouse.
 *
 * @param perProject concurrent questions per project in this process; 0 means unlimited
 * @returns throws DomainError `RATE_LIMIT_EXCEEDED` for a question when too many of its project wait
 */
export function shareClickHouse(clickhouse: ClickHouse, perProject: number): ClickHouse {
  const reads = createHeavyReads(perProject);
  return {
    ...clickhouse,
    query: (question, parameters) =>
      reads.run(String(parameters.projectId), () => clickhouse.query(question, parameters)),
  };
}
