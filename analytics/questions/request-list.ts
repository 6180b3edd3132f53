import type { ClickHouse } from '../clickhouse.ts';
import { greatestUuid, latest, type Question, toInstantParameter } from '../client/question.ts';
import {
  type LoggedRequest,
  loggedRequestRow,
  type RequestCredential,
  requestCredentials,
  requestLogDays,
} from '../tables/request-log.ts';

export interface RequestPosition {
  at: Date;
  id: string;
}

export interface RequestFilter {
  projectId: string;
  /** Both inclusive; by default every status. */
  status?: { from: number; to: number } | undefined;
  method?: string | undefined;
  route?: string | undefined;
  requestId?: string | undefined;
  credential?: readonly RequestCredential[] | undefined;
  /** Both inclusive. */
  startDate?: Date | undefined;
  endDate?: Date | undefined;
  before?: RequestPosition | undefined;
  limit: number;
}

/**
 * PREWHERE lets a selective filter read only its own column: 24 million rows take 0.05 s of CPU instead of 1.4 s.
 * `until` repeats a bound of the tuple comparison, because the index only supports the plain one.
 */
const question: Question<ReturnType<typeof toParameters>, LoggedRequest> = {
  name: 'request-list',
  sql: `
SELECT
  id, at, request_id AS requestId, method, route, status, error_code AS errorCode, credential,
  duration_ms AS durationMs
FROM request_log
PREWHERE status BETWEEN {statusFrom:UInt16} AND {statusTo:UInt16}
  AND credential IN {credentials:Array(String)}
  AND ({method:String} = '' OR method = {method:String})
  AND ({route:String} = '' OR route = {route:String})
  AND ({requestId:String} = '' OR request_id = {requestId:String})
WHERE project_id = {projectId:UUID}
  AND at >= {since:DateTime64(3, 'UTC')}
  AND at <= {until:DateTime64(3, 'UTC')}
  AND (at, id) < ({beforeAt:DateTime64(3, 'UTC')}, {beforeId:UUID})
ORDER BY at DESC, id DESC
LIMIT {limit:UInt32}`,
  row: loggedRequestRow,
};

/**
 * A page of a project's logged requests of the last days.
 *
 * @returns newest first, by instant and id; empty after the last page
 */
export const listRequests = (clickhouse: ClickHouse, filter: RequestFilter): Promise<LoggedRequest[]> =>
  clickhouse.query(question, toParameters(filter));

function toParameters(filter: RequestFilter) {
  const oldest = new Date(Date.now() - requestLogDays * 86_400_000);
  const { startDate = oldest, endDate = latest, before = { at: latest, id: greatestUuid } } = filter;
  return {
    projectId: filter.projectId,
    statusFrom: filter.status?.from ?? 0,
    statusTo: filter.status?.to ?? 999,
    method: filter.method ?? '',
    route: filter.route ?? '',
    requestId: filter.requestId ?? '',
    credentials: filter.credential ?? requestCredentials,
    since: toInstantParameter(new Date(Math.max(startDate.getTime(), oldest.getTime()))),
    until: toInstantParameter(new Date(Math.min(endDate.getTime(), before.at.getTime()))),
    beforeAt: toInstantParameter(before.at),
    beforeId: before.id,
    limit: filter.limit,
  };
}
