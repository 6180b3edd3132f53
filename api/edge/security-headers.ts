import helmet from 'koa-helmet';
import type { EdgeMiddleware } from './context.ts';

/** Answers are data: nothing may load, frame or sniff them. Pages and documentation set their own policy. */
export function securityHeaders(isHttps: boolean) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    // Other services may run below the host of `API_URL`, some of them without HTTPS.
    strictTransportSecurity: isHttps && { maxAge: 365 * 24 * 60 * 60, includeSubDomains: false },
    // `cross-origin.ts` decides which sites may read answers; the headers below are for browser applications.
    crossOriginResourcePolicy: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xPoweredBy: false,
  });
}

export function noStore(): EdgeMiddleware {
  return (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  };
}
