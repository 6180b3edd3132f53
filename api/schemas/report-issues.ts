import type { z } from 'zod';
import type { FieldIssue } from '../../core/errors.ts';
import { reportIssue } from '../../core/zod-issues.ts';

/**
 * Adds issues found by a rule of `core` to zod's, so that the answer lists all of them.
 *
 * @param base prefix of the issues' field names, removed because the schema is already at that path
 */
export function reportIssues(
  context: z.core.ParsePayload,
  issues: readonly FieldIssue[],
  base: string,
): void {
  for (const issue of issues) {
    const rest = issue.field === base ? [] : [issue.field.slice(base.length + 1)];
    reportIssue(context, issue.message, issue.code, rest);
  }
}
