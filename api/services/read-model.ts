import { ClickHouseUnavailable } from '../../analytics/client/errors.ts';
import type { ProjectPeriod } from '../../analytics/questions/period.ts';
import { DomainError } from '../../core/errors.ts';
import type { PeriodQuery } from '../schemas/activity.ts';

const hourMs = 60 * 60 * 1000;
const defaultPeriodMs = 30 * 24 * hourMs;

export function refuseReversed({ startDate, endDate }: PeriodQuery): void {
  if (startDate !== undefined && endDate !== undefined && startDate > endDate) {
    throw new DomainError('BAD_REQUEST', 'startDate is after endDate');
  }
}

/**
 * One minute ahead, to include events that arrive during the query, but within this hour, so that a series shows no
 * bucket that has not begun.
 */
function defaultEnd(now: number): Date {
  const hourEnd = (Math.floor(now / hourMs) + 1) * hourMs;
  return new Date(Math.min(now + 60_000, hourEnd - 1));
}

/**
 * Defaults to the last 30 days.
 * @throws DomainError `BAD_REQUEST` when the start is after the end
 */
export function toPeriod(projectId: string, query: PeriodQuery): ProjectPeriod {
  const endDate = query.endDate ?? defaultEnd(Date.now());
  const startDate = query.startDate ?? new Date(endDate.getTime() - defaultPeriodMs);
  refuseReversed({ startDate, endDate });
  return { projectId, startDate, endDate };
}

const analyticsAway = {
  message: 'Analytics is not available right now',
  suggestion: 'No events are lost: they appear when it is back.',
};

/** @throws DomainError `SERVICE_UNAVAILABLE` while ClickHouse is down */
export async function whileAvailable<Answer>(
  answer: Promise<Answer>,
  { message, suggestion } = analyticsAway,
): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof ClickHouseUnavailable)) throw cause;
    throw new DomainError('SERVICE_UNAVAILABLE', message, { cause, suggestion });
  }
}
