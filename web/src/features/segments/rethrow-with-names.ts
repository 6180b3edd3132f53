import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';

/** A record, or an earlier version of a workflow that executions still follow. */
const useSchema = z.union([
  z.object({ name: z.string() }).transform(({ name }) => name),
  z.object({ workflowName: z.string() }).transform(({ workflowName }) => workflowName),
]);
const usesSchema = z.record(z.string(), z.array(useSchema));

const kindWords: Readonly<Record<string, string>> = {
  workflowVersions: 'executions that follow an earlier version of',
};

/**
 * The API's refusal lists what uses the segment, by kind.
 *
 * @param words begin the sentence that names them
 */
export const rethrowWithNames =
  (words: string) =>
  (error: unknown): never => {
    const uses = error instanceof ApiError ? usesSchema.safeParse(error.details) : undefined;
    if (!(error instanceof ApiError) || !uses?.success) throw error;
    const named = Object.entries(uses.data).map(
      ([kind, names]) =>
        `${kindWords[kind] ?? `${kind}:`} ${[...new Set(names)].map((name) => `“${name}”`).join(', ')}`,
    );
    if (named.length === 0) throw error;
    throw new ApiError(error.status, error.requestId, {
      message: `${words} ${named.join('; ')}.`,
      suggestion: uses.data.workflowVersions ? (error.suggestion ?? '') : 'Remove it there first.',
    });
  };
