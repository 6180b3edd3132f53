import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request may change something, so that another site must not be able to send it with the cookie. */
export function isUnsafeMethod(method: string): boolean {
  return !safeMethods.has(method);
}

/** Host and port of a URL; undefined when it is none, such as the origin `null` of a sandboxed page. */
export function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : (URL.parse(url)?.host ?? undefined);
}

/**
 * Where a request comes from, by its `Origin`: from us (a page of the API's own host or of the dashboard), from
 * another site, or from something that is no browser page and says nothing.
 */
export function originKind(
  headers: IncomingHttpHeaders,
  trustedHosts: ReadonlySet<string>,
): 'same site' | 'foreign' | 'absent' {
  if (headers.origin === undefined) return 'absent';
  const host = hostOf(headers.origin);
  if (host === undefined) return 'foreign';
  // A page can't choose the Host of its request: when it equals the page's own, both are one site.
  return trustedHosts.has(host) || host === headers.host ? 'same site' : 'foreign';
}
