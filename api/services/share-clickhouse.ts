import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../analytics/client/errors.ts';
import { createProjectPlaces, createSharedPlaces } from './project-places.ts';

/** Shorter than a question may take, so that questions queued behind unanswered ones don't wait as long again. */
const longestWaitMs = 12_000;

/**
 * Limits the concurrent questions of a project and of all projects, so that they don't take up all connections to
 * ClickHouse. Separate from the heavy reads of Postgres, which must not wait for a slow ClickHouse.
 *
 * @param perProject concurrent questions per project in this process; 0 means unlimited
 * @param inAll concurrent questions of all projects, which take turns
 * @returns `query` throws DomainError `RATE_LIMIT_EXCEEDED` when too many questions of the project wait,
 *   `SERVICE_UNAVAILABLE` when its turn does not come, and `ClickHouseUnavailable` when it came too late
 */
export function shareClickHouse(clickhouse: ClickHouse, perProject: number, inAll: number): ClickHouse {
  const reads = createProjectPlaces(perProject, { inAll: createSharedPlaces(inAll) });
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
