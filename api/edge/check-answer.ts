import { isDeepStrictEqual } from 'node:util';
import type { EdgeMiddleware } from './context.ts';
import type { Route } from './route.ts';

/**
 * Checks each answer against its declaration: status, body and no undeclared fields. For development and tests: it
 * costs as much as the rest of a request.
 *
 * @throws Error that names the difference
 */
export function checkAnswer({ method, path, responses }: Route): EdgeMiddleware {
  return async (ctx, next) => {
    await next();
    const answer = `${method} ${path} ${ctx.status}`;
    const declared = responses[ctx.status];
    if (declared === undefined) throw new Error(`${answer}: the route does not declare this status`);
    if (declared.schema !== undefined) {
      checkBody(answer, declared.schema, ctx.body);
      return;
    }
    const isEmpty = ctx.body === undefined || ctx.body === null || ctx.body === '';
    if (isEmpty === (declared.contentType === undefined)) return;
    throw new Error(`${answer} ${isEmpty ? 'lacks the declared body' : 'has an undeclared body'}`);
  };
}

function checkBody(answer: string, schema: NonNullable<Route['body']>, body: unknown): void {
  // Compare what the client receives: dates as strings, undefined members dropped.
  const sent: unknown = JSON.parse(JSON.stringify(body));
  const parsed = schema.safeParse(sent);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`${answer} breaks its schema: ${issues.join('; ')}`);
  }
  const declaredPart: unknown = JSON.parse(JSON.stringify(parsed.data));
  if (!isDeepStrictEqual(declaredPart, sent)) {
    throw new Error(`${answer} holds fields that its schema does not declare`);
  }
}
