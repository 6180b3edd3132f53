import { ClickHouseUnavailable } from '../../analytics/client/errors.ts';
import type { ProjectPeriod } from '../../analytics/questions/period.ts';
import { DomainError } from '../../core/errors.ts';
import type { PeriodQuery } from '../schemas/activity.ts';

const defaultPeriodMs = 30 * 24 * 60 * 60 * 1000;

/** @throws DomainError `BAD_REQUEST` for a start after the end */
export function refuseReversed({ startDate, endDate }: PeriodQuery): void {
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    throw new DomainError('BAD_REQUEST', 'startDate is after endDate');
  }
}

/**
 * The last 30 days unless the query says otherwise; the end includes what happens while it is asked.
 *
 * @throws DomainError `BAD_REQUEST` for a start after the end
 */
export function toPeriod(projectId: string, query: PeriodQuery): ProjectPeriod {
  const endDate = query.endDate ?? new Date(Date.now() + 60_000);
  const startDate = query.startDate ?? new Date(endDate.getTime() - defaultPeriodMs);
  refuseReversed({ startDate, endDate });
  return { projectId, startDate, endDate };
}

/** The answer of ClickHouse. @throws DomainError `SERVICE_UNAVAILABLE` while it is away */
export async function whileAvailable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof ClickHouseUnavailable)) throw cause;
    throw new DomainError('SERVICE_UNAVAILABLE', 'Analytics is not available right now', {
      cause,
      suggestion: 'Nothing is lost: what happens meanwhile shows up when it is back.',
    });
  }
}
