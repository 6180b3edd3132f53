import type { JsonSchema } from './openapi-schemas.ts';
import type { AuthKind, Route } from './route.ts';

const count = { type: 'integer', minimum: 0 };

/** The headers of answers, by their names; the components of the document. */
export const answerHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'Names the request in logs and traces.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests of the project in a minute.', schema: count },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: count },
  'Retry-After': { description: 'Seconds until another try can succeed.', schema: count },
};

const ofEveryAnswer = ['X-Request-Id'];
const ofKeyedAnswers = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const keyed: readonly AuthKind[] = ['secretKey', 'publicKey', 'userOrSecretKey'];

export const takesKey = <S>(route: Route<S>): boolean => keyed.includes(route.auth);

/**
 * The headers of the answers of a route with this status, as references to the components. What is left of the rate is
 * named where it matters, though all answers tell it.
 */
export function headersOf<S>(route: Route<S>, status: number): JsonSchema {
  const names = [
    ...ofEveryAnswer,
    ...(takesKey(route) && (status < 300 || status === 429) ? ofKeyedAnswers : []),
    ...(status === 429 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
