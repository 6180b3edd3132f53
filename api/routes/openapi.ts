import { createHash } from 'node:crypto';
import { answerUnlessKnown } from '../edge/answer-unless-known.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { Route } from '../edge/route.ts';

/** `GET /openapi.json`. Built once, by the first request, because most processes never serve it. */
export function openapiRoute(build: () => Record<string, unknown>): Route {
  let built: { json: string; etag: string } | undefined;
  const serialize = () => {
    const json = JSON.stringify(build());
    return { json, etag: createHash('sha256').update(json).digest('base64url').slice(0, 27) };
  };
  return defineRoute('GET /openapi.json', {
    auth: 'none',
    tags: ['Documentation'],
    summary: 'This API as an OpenAPI 3.1 document',
    hidden: true,
    responses: {
      200: { description: 'The document', contentType: 'application/json; charset=utf-8' },
      304: { description: 'The document has not changed' },
    },
    handler(ctx) {
      built ??= serialize();
      const { json, etag } = built;
      // Public, so that other sites can show it and generators read it.
      ctx.set({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' });
      ctx.type = 'json';
      answerUnlessKnown(ctx, json, etag);
    },
  });
}
