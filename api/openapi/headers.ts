import type { AuthKind, Route } from '../edge/route.ts';
import type { JsonSchema } from './schemas.ts';

const count = { type: 'integer', minimum: 0 };

export const answerHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'Names the request in logs and traces.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests of the project in a minute.', schema: count },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: count },
  'WWW-Authenticate': { description: 'The scheme of keys, `Bearer`.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds until another try can succeed. A 503 without it names no time.',
    schema: count,
  },
};

const ofKeyedAnswers = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const keyed: readonly AuthKind[] = ['secretKey', 'publicKey', 'userOrSecretKey'];

export const takesKey = (route: Route): boolean => keyed.includes(route.auth);

const withSession: readonly AuthKind[] = ['secretKey', 'user', 'userOrSecretKey'];

export const takesSession = (route: Route): boolean => withSession.includes(route.auth);

/**
 * References to the header components of an answer. The `RateLimit-*` headers are documented on success and 429
 * only, though every answer has them.
 */
export function headersOf(route: Route, status: number): JsonSchema {
  const names = [
    'X-Request-Id',
    ...(takesKey(route) && (status < 300 || status === 429) ? ofKeyedAnswers : []),
    ...(takesKey(route) && status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
