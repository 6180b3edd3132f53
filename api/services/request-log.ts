import { z } from 'zod';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { listRequests } from '../../analytics/questions/request-list.ts';
import { cursorInstant, encodeCursor } from '../../core/pagination/cursor.ts';
import type { RequestListQuery } from '../schemas/requests.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';
import { refuseReversed, whileAvailable } from './read-model.ts';

const positionSchema = z
  .tuple([z.literal('requests'), cursorInstant, z.uuid()])
  .transform(([, at, id]) => ({ at: new Date(at), id }));

const away = {
  message: 'The log of requests is not available right now',
  suggestion: 'Requests made meanwhile are missing from it.',
};

export function createRequestLogService(clickhouse: ClickHouse) {
  return {
    /**
     * A page of the latest requests, newest first.
     * @throws DomainError `BAD_REQUEST` for a cursor from another list and a reversed period, `SERVICE_UNAVAILABLE`
     */
    async list(projectId: string, { cursor, limit, ...filter }: RequestListQuery) {
      refuseReversed(filter);
      const before = readCursor(cursor, positionSchema);
      const asked = { projectId, ...filter, before, limit: limit + 1 };
      const found = await whileAvailable(listRequests(clickhouse, asked), away);
      const { rows, next = null } = toScannedPage({ rows: found }, limit, ({ at, id }) =>
        encodeCursor(['requests', at.toISOString(), id]),
      );
      return { requests: rows, cursor: next };
    },
  };
}
