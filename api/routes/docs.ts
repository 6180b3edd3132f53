import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { notFound } from '../../core/errors.ts';
import { createDefineRoute, type Route } from '../edge/route.ts';

/** Files of the Swagger UI package that the page needs, and their types. */
const assetTypes = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthaste API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const startScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** Everything comes from this server; Swagger UI writes style attributes and draws icons from data URLs. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const dayCache = { 'Cache-Control': 'public, max-age=86400' };

/** `GET /docs`: the API for people, from `/openapi.json`, without anything from another server. */
export function docsRoutes<S>(): Route<S>[] {
  const defineRoute = createDefineRoute<S>();
  const assets = new Map<string, Promise<Buffer>>();

  function assetOf(file: keyof typeof assetTypes): Promise<Buffer> {
    let asset = assets.get(file);
    if (asset === undefined) {
      asset = readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)));
      assets.set(file, asset);
    }
    return asset;
  }

  const docsPage = defineRoute({
    method: 'GET',
    path: '/docs',
    auth: 'none',
    tags: ['Documentation'],
    summary: 'This API for people',
    hidden: true,
    responses: { 200: { description: 'The page', contentType: 'text/html; charset=utf-8' } },
    handler: async () => ({
      status: 200,
      body: page,
      headers: { 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-cache' },
    }),
  });

  const docsAsset = defineRoute({
    method: 'GET',
    path: '/docs/:file',
    auth: 'none',
    tags: ['Documentation'],
    summary: 'Scripts and styles of the documentation',
    hidden: true,
    params: z.object({ file: z.string() }),
    responses: { 200: { description: 'The file', contentType: 'application/octet-stream' } },
    handler: async ({ params: { file } }) => {
      if (file === 'start.js') {
        return {
          status: 200,
          body: startScript,
          headers: { ...dayCache, 'Content-Type': assetTypes['swagger-ui-bundle.js'] },
        };
      }
      if (!isAsset(file)) throw notFound('File');
      const body = await assetOf(file);
      return { status: 200, body, headers: { ...dayCache, 'Content-Type': assetTypes[file] } };
    },
  });

  return [docsPage, docsAsset];
}

function isAsset(file: string): file is keyof typeof assetTypes {
  return Object.hasOwn(assetTypes, file);
}
