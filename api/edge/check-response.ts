import { isDeepStrictEqual } from 'node:util';
import type { AnyHandlerResult, Responses } from './route.ts';

/**
 * Compares an answer with its declaration: status, shape, and that it says nothing undeclared. Done in
 * development and tests only; it costs as much as the rest of a request.
 *
 * @throws Error that names the difference
 */
export function checkResponse(route: string, responses: Responses, result: AnyHandlerResult): void {
  const declared = responses[result.status];
  if (declared === undefined)
    throw new Error(`${route} answered ${result.status}, which it does not declare`);
  if (declared.schema === undefined) {
    const isEmpty = result.body === undefined;
    if (isEmpty === (declared.contentType === undefined)) return;
    throw new Error(
      `${route} ${result.status} ${isEmpty ? 'lacks the declared body' : 'has an undeclared body'}`,
    );
  }
  // What counts is what arrives: dates are texts and undefined members are gone.
  const sent: unknown = JSON.parse(JSON.stringify(result.body));
  const parsed = declared.schema.safeParse(sent);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`${route} ${result.status} breaks its schema: ${issues.join('; ')}`);
  }
  const declaredPart: unknown = JSON.parse(JSON.stringify(parsed.data));
  if (!isDeepStrictEqual(declaredPart, sent)) {
    throw new Error(`${route} ${result.status} holds fields that its schema does not declare`);
  }
}
