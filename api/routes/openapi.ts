import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createDefineRoute, type Route } from '../edge/route.ts';

/** `GET /openapi.json`: the document of all routes, made once. */
export function openapiRoute<S>(document: Record<string, unknown>): Route<S> {
  const json = JSON.stringify(document);
  const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`;
  // Anyone may read it, so that clients can be generated and the document shown elsewhere.
  const headers = { ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' };
  return createDefineRoute<S>()({
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    tags: ['Documentation'],
    summary: 'This API as an OpenAPI 3.1 document',
    hidden: true,
    headers: z.object({ 'if-none-match': z.string().optional() }),
    responses: {
      200: { description: 'The document', contentType: 'application/json; charset=utf-8' },
      304: { description: 'The document has not changed' },
    },
    handler: async ({ headers: sent }) =>
      sent['if-none-match'] === etag ? { status: 304, headers } : { status: 200, body: json, headers },
  });
}
