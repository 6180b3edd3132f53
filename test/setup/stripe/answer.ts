import type { ServerResponse } from 'node:http';

export class StripeProblem extends Error {
  readonly status: number;
  readonly fields: Record<string, string>;

  constructor(status: number, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.fields = { type: 'invalid_request_error', ...fields };
  }
}

export const missing = (kind: string, id: string, param = 'id', hint = '') =>
  new StripeProblem(404, `No such ${kind}: '${id}'${hint}`, { code: 'resource_missing', param });

export interface StripeAnswer {
  status: number;
  body: unknown;
}

export function problemAnswer({ status, message, fields }: StripeProblem): StripeAnswer {
  return { status, body: { error: { message, ...fields } } };
}

export function write(response: ServerResponse, { status, body }: StripeAnswer, requestId: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': requestId });
  response.end(JSON.stringify(body));
}

/** Newest first, at most `limit` after the id in `starting_after`. */
export function page<Item extends { id: string }>(
  url: string,
  kind: string,
  newestFirst: readonly Item[],
  query: URLSearchParams,
): StripeAnswer {
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new StripeProblem(400, `Invalid limit: ${query.get('limit')}`, { param: 'limit' });
  }
  const after = query.get('starting_after');
  const from = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) throw missing(kind, after, 'starting_after');
  const data = newestFirst.slice(from, from + limit);
  return {
    status: 200,
    body: { object: 'list', url, data, has_more: from + data.length < newestFirst.length },
  };
}
