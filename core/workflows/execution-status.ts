export const executionStatuses = [
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'EXITED',
  'FAILED',
  'CANCELLED',
] as const;

export type ExecutionStatus = (typeof executionStatuses)[number];

export const activeStatuses = ['RUNNING', 'WAITING'] as const satisfies readonly ExecutionStatus[];

export type ActiveStatus = (typeof activeStatuses)[number];
export type FinalStatus = Exclude<ExecutionStatus, ActiveStatus>;

export function isActive(status: ExecutionStatus): status is ActiveStatus {
  return activeStatuses.some((active) => active === status);
}
