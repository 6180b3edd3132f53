import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isUnsafeMethod(method: string): boolean {
  return !safeMethods.has(method);
}

/** Host and port of a URL; undefined if it is not one, such as the origin `null` of a sandboxed page. */
export function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.host;
}

/**
 * Classifies a request by its `Origin`. `same site`: the API's own host or the dashboard's; `absent`: not sent by
 * a browser page.
 */
export function originKind(
  headers: IncomingHttpHeaders,
  trustedHosts: ReadonlySet<string | undefined>,
): 'same site' | 'foreign' | 'absent' {
  if (headers.origin === undefined) return 'absent';
  const host = hostOf(headers.origin);
  if (host === undefined) return 'foreign';
  // A page can't choose the Host of its request: if it equals the Origin's, both are one site.
  return trustedHosts.has(host) || host === headers.host ? 'same site' : 'foreign';
}
