import { toInstantParameter } from '../client/question.ts';
import { type InsertTarget, tsvValue } from '../client/statement.ts';

export const requestLogDays = 7;

export const requestCredentials = ['publicKey', 'secretKey', 'session'] as const;
export type RequestCredential = (typeof requestCredentials)[number];

export const requestLogTable: InsertTarget = {
  table: 'request_log',
  columns: [
    'project_id',
    'at',
    'id',
    'request_id',
    'method',
    'route',
    'status',
    'error_code',
    'credential',
    'duration_ms',
  ],
  // The end of an API process waits for it.
  timeoutMs: 5_000,
};

export interface LoggedRequest {
  id: string;
  at: Date;
  requestId: string;
  method: string;
  route: string;
  status: number;
  errorCode: string | null;
  credential: RequestCredential;
  durationMs: number;
}

export function toRequestLine(projectId: string, row: LoggedRequest): string {
  return [
    projectId,
    toInstantParameter(row.at),
    row.id,
    tsvValue(row.requestId),
    tsvValue(row.method),
    tsvValue(row.route),
    row.status,
    row.errorCode ?? '',
    row.credential,
    row.durationMs,
  ].join('\t');
}
