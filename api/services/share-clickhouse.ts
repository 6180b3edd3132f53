import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../analytics/client/errors.ts';
import { createProjectSlots } from './project-slots.ts';

/** Shorter than a question may take, so that questions queued behind unanswered ones don't wait as long again. */
const longestWaitMs = 12_000;

/**
 * Limits the concurrent questions of a project, so that no project takes up all connections to ClickHouse. Separate
 * from the heavy reads of Postgres, which must not wait for a slow ClickHouse.
 *
 * @param perProject concurrent questions per project in this process; 0 means unlimited
 * @returns `query` throws DomainError `RATE_LIMIT_EXCEEDED` when too many questions of the project wait, and
 *   `ClickHouseUnavailable` when a question has waited too long
 */
export function shareClickHouse(clickhouse: ClickHouse, perProject: number): ClickHouse {
  const reads = createProjectSlots(perProject);
  return {
    ...clickhouse,
    query(question, parameters) {
      const askedAt = performance.now();
      return reads.run(String(parameters.projectId), async () => {
        const waitedMs = performance.now() - askedAt;
        if (waitedMs < longestWaitMs) return clickhouse.query(question, parameters);
        throw new ClickHouseUnavailable(
          `The question waited for ${Math.round(waitedMs / 1000)} seconds behind others`,
        );
      });
    },
  };
}
