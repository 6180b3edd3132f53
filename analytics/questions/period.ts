import { toInstantParameter } from '../client/question.ts';

/** Both ends are inclusive. */
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

export function inPeriod(column: string): string {
  return `${column} >= {since:DateTime64(3, 'UTC')} AND ${column} <= {until:DateTime64(3, 'UTC')}`;
}
