import { extname } from 'node:path';
import { DomainError } from '../../core/errors.ts';
import { answerUnlessKnown } from '../edge/answer-unless-known.ts';
import type { EdgeContext, EdgeMiddleware } from '../edge/context.ts';
import { type DashboardFiles, type Encoding, openDashboardFiles } from './dashboard-files.ts';

/**
 * Libraries write style attributes and elements, and emails that are shown in a frame bring their own: a frame made
 * from text inherits this policy. Scripts come from this server alone. Images may load from anywhere, because emails
 * link to them.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: https: http:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
  "form-action 'self'",
].join('; ');

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Posthaste</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>Run <code>npm run web:build</code> in the folder of Posthaste and start the API again, or set
<code>DASHBOARD_DIR</code> to the folder of a build. The API works without: see <a href="docs">its reference</a>.</p>
</body>
</html>
`;

const smallestFirst: readonly Encoding[] = ['br', 'gzip', 'identity'];

/**
 * Serves the dashboard below `/app`, behind any host name and path prefix: every address in it is relative. Paths
 * without a file ending are the application's own and get its page.
 */
export function serveDashboard(folder: string | undefined): EdgeMiddleware {
  const files = folder === undefined ? undefined : openDashboardFiles(folder);
  return (ctx, next) => {
    const { path, method } = ctx;
    const isOurs = path === '/app' || path.startsWith('/app/');
    if (!isOurs && path !== '/') return next();
    if (method !== 'GET' && method !== 'HEAD') return next();
    if (path === '/' && ctx.accepts('json', 'html') !== 'html') return next();
    ctx.routerPath = '/app';
    if (!path.startsWith('/app/')) {
      ctx.status = 302;
      ctx.set('Location', `app/${ctx.search}`);
      return undefined;
    }
    return files === undefined ? showNotBuilt(ctx) : show(ctx, files, path.slice('/app/'.length));
  };
}

function showNotBuilt(ctx: EdgeContext): void {
  ctx.status = 404;
  ctx.type = 'html';
  ctx.body = notBuilt;
}

function show(ctx: EdgeContext, files: DashboardFiles, name: string): void {
  const variants = files.find(name);
  if (variants === undefined) {
    if (extname(name) !== '') throw new DomainError('NOT_FOUND', 'No such file');
    showApplication(ctx, files, name);
    return;
  }
  const encoding = smallestFirst.find((one) => variants.has(one) && ctx.acceptsEncodings(one)) ?? 'identity';
  const file = variants.get(encoding);
  if (file === undefined) throw new DomainError('NOT_FOUND', 'No such file');
  // Only files in `assets/` have their hash in the name.
  ctx.set('Cache-Control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (variants.size > 1) ctx.vary('Accept-Encoding');
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = file;
  ctx.type = extname(name);
}

function showApplication(ctx: EdgeContext, files: DashboardFiles, name: string): void {
  const { body, etag } = files.page('../'.repeat(name.split('/').length - 1) || './');
  ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
  ctx.type = 'html';
  answerUnlessKnown(ctx, body, etag);
}
