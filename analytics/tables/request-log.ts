import { z } from 'zod';
import { instantColumn, toInstantParameter } from '../client/question.ts';
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

export const loggedRequestRow = z.object({
  id: z.guid(),
  at: instantColumn,
  requestId: z.string(),
  method: z.string(),
  route: z.string(),
  status: z.int(),
  errorCode: z.string().transform((code) => (code === '' ? null : code)),
  credential: z.enum(requestCredentials),
  durationMs: z.number(),
});

export type LoggedRequest = z.output<typeof loggedRequestRow>;

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
