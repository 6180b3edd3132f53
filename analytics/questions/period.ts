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

export const inPeriod =
  "occurred_at >= {since:DateTime64(3, 'UTC')} AND occurred_at <= {until:DateTime64(3, 'UTC')}";
