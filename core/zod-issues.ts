import type { z } from 'zod';

/** Adds an issue with a code of ours to those of a zod check or transformation. */
export function reportIssue(
  context: z.core.ParsePayload,
  message: string,
  code: string,
  path: string[] = [],
): void {
  context.issues.push({ code: 'custom', path, message, params: { code }, input: context.value });
}

/** Options of a zod refinement whose issue has a code of ours. */
export const refusal = (message: string, code = 'invalid_string') => ({ message, params: { code } });
