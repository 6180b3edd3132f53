import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whether a request may be answered at all. Emails in the inbox contain sign-in links, so another web site open in the
 * developer's browser must neither read them (by DNS rebinding) nor act here (by posting a form).
 */
export function isFromHere(request: IncomingMessage): boolean {
  const host = request.headers.host;
  if (host === undefined || !isLocalName(host)) return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/**
 * An IP literal, `localhost`, or a name without dots, such as a compose service: none of them can be rebound from
 * outside.
 */
function isLocalName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !name.includes('.') || name.endsWith('.localhost');
}
