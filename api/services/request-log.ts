import { z } from 'zod';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { listRequests, type RequestPosition } from '../../analytics/questions/request-list.ts';
import { DomainError } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { RequestListQuery } from '../schemas/requests.ts';
import { refuseReversed, whileAvailable } from './read-model.ts';

const positionSchema = z.tuple([z.literal('requests'), cursorInstant, z.uuid()]);

function readPosition(cursor: string | undefined): RequestPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor<[string, string, string]>(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', {
      suggestion: 'Pass the cursor of the previous page, or leave it out.',
    });
  }
  return { at: new Date(position[1]), id: position[2] };
}

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
    async list(
      projectId: string,
      { cursor, limit, status: statuses, credential: credentials, ...filter }: RequestListQuery,
    ) {
      refuseReversed(filter);
      const before = readPosition(cursor);
      const asked = { projectId, ...filter, statuses, credentials, before, limit: limit + 1 };
      const found = await whileAvailable(listRequests(clickhouse, asked), away);
      const requests = found.slice(0, limit);
      const last = requests.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { requests, cursor: isMore ? encodeCursor(['requests', last.at.toISOString(), last.id]) : null };
    },
  };
}
