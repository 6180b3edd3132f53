import type { Schema } from '../../api/client.ts';
import type { Tone } from '../../ui/badge.tsx';

export type ExecutionStatus = Schema<'WorkflowExecution'>['status'];

export const executionStatuses = [
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'EXITED',
  'FAILED',
  'CANCELLED',
] as const satisfies ExecutionStatus[];

export const statusLooks: Record<ExecutionStatus, { label: string; tone: Tone }> = {
  RUNNING: { label: 'Running', tone: 'accent' },
  WAITING: { label: 'Waiting', tone: 'warn' },
  COMPLETED: { label: 'Completed', tone: 'good' },
  EXITED: { label: 'Exited', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
};

export const isUnderWay = (status: ExecutionStatus): boolean => status === 'RUNNING' || status === 'WAITING';
