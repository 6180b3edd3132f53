import { toInstantParameter } from '../question.ts';

/** A period of a project; both ends are inclusive. */
export interface ProjectPeriod {
  projectId: string;
  startDate: Date;
  endDate: Date;
}

export type PeriodParameters = { projectId: string; since: string; until: string };

export function toPeriodParameters(period: ProjectPeriod): PeriodParameters {
  return {
    projectId: period.projectId,
    since: toInstantParameter(period.startDate),
    until: toInstantParameter(period.endDate),
  };
}

/** SQL: whether an instant lies in the period. */
export function inPeriod(column: string): string {
  return `${column} >= {since:DateTime64(3, 'UTC')} AND ${column} <= {until:DateTime64(3, 'UTC')}`;
}
