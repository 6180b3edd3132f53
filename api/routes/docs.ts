import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { notFound } from '../../core/errors.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { Route } from '../edge/route.ts';

const scalar = new URL(
  '../../node_modules/@scalar/api-reference/dist/browser/standalone.js',
  import.meta.url,
);

// Relative addresses, so that a proxy may serve the API below any path.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthaste API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="docs/scalar.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// The server that the page is from, in place of `API_URL`: its policy allows test requests to no other.
const startScript = `Scalar.createApiReference('#reference', {
  url: new URL('openapi.json', document.baseURI).href,
  servers: [{ url: new URL('.', document.baseURI).href.replace(/\\/$/, '') }],
  authentication: { preferredSecurityScheme: 'secretKey' },
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});
`;

/** Only this server is allowed; Scalar writes style elements and attributes, and draws icons from data URLs. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const dayCache = 'public, max-age=86400';

export function docsRoutes(): Route[] {
  /** 4 MB of script, 1.2 MB of it compressed. */
  let reference: Promise<{ plain: Buffer; compressed: Buffer }> | undefined;

  async function readReference() {
    const plain = await readFile(scalar);
    return { plain, compressed: await promisify(gzip)(plain) };
  }

  const docsPage = defineRoute('GET /docs', {
    auth: 'none',
    tags: ['Documentation'],
    summary: 'Interactive documentation of this API',
    hidden: true,
    responses: {
      200: { description: 'The page', contentType: 'text/html; charset=utf-8' },
      302: { description: 'To the address without the slash, which the relative addresses of the page need' },
    },
    handler(ctx) {
      if (ctx.path.endsWith('/')) {
        ctx.status = 302;
        ctx.set('Location', '../docs');
        return;
      }
      ctx.set({ 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-cache' });
      ctx.type = 'html';
      ctx.body = page;
    },
  });

  const docsAsset = defineRoute('GET /docs/:file', {
    auth: 'none',
    tags: ['Documentation'],
    summary: 'Scripts of the documentation',
    hidden: true,
    params: z.object({ file: z.string() }),
    responses: { 200: { description: 'The file', contentType: 'text/javascript; charset=utf-8' } },
    async handler(ctx, { params: { file } }) {
      if (file !== 'start.js' && file !== 'scalar.js') throw notFound('File');
      ctx.set('Cache-Control', dayCache);
      ctx.type = 'text/javascript; charset=utf-8';
      if (file === 'start.js') {
        ctx.body = startScript;
        return;
      }
      reference ??= readReference();
      const { plain, compressed } = await reference;
      const isCompressed = ctx.acceptsEncodings('gzip') === 'gzip';
      ctx.vary('Accept-Encoding');
      if (isCompressed) ctx.set('Content-Encoding', 'gzip');
      ctx.body = isCompressed ? compressed : plain;
    },
  });

  return [docsPage, docsAsset];
}
