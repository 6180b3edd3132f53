import type { ResponseHeaders } from './route.ts';

const keyedHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';
const cookieHeaders = `${keyedHeaders}, X-Project-Id`;
/** How long a browser may remember the answer; two hours is the most that browsers agree on. */
const maxAgeSeconds = '7200';

/**
 * Headers of the answer to `OPTIONS`. Who may read is written by the reply writer; this says what may be sent.
 *
 * @param methods methods served at the path
 * @param isOpen whether any website may call the path
 */
export function optionsHeaders(
  methods: readonly string[],
  isOpen: boolean,
  isDashboard: boolean,
): ResponseHeaders {
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (!isOpen && !isDashboard) return { Allow: allow };
  return {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': isOpen ? keyedHeaders : cookieHeaders,
    'Access-Control-Max-Age': maxAgeSeconds,
  };
}
