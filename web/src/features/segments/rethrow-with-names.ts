import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';

const usesSchema = z.record(z.string(), z.array(z.object({ name: z.string() })));

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
    const names = Object.entries(uses.data).map(
      ([kind, records]) => `${kind}: ${records.map(({ name }) => `“${name}”`).join(', ')}`,
    );
    if (names.length === 0) throw error;
    throw new ApiError(error.status, error.requestId, {
      message: `${words} ${names.join('; ')}.`,
      suggestion: 'Remove it there first.',
    });
  };
