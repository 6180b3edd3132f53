import type { z } from 'zod';
import type { FieldIssue } from '../../core/errors.ts';

/**
 * Hands faults that a rule of `core` found on to zod, so that they stand in the answer beside all others.
 *
 * @param base the field that the rule looked at, as its issues name it; the schema is already at that path
 */
export function reportIssues(
  context: z.core.ParsePayload,
  issues: readonly FieldIssue[],
  base: string,
): void {
  for (const issue of issues) {
    const rest = issue.field === base ? [] : [issue.field.slice(base.length + 1)];
    context.issues.push({
      code: 'custom',
      path: rest,
      message: issue.message,
      params: { code: issue.code },
      input: context.value,
    });
  }
}
