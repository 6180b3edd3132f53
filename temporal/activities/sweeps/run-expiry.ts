import { z } from 'zod';
import type { Em } from '../../../db/orm.ts';
import type { Expire } from '../../../db/statements/sweeps/expiry.ts';

const progressSchema = z.object({ count: z.int(), cursor: z.array(z.string()).nullable() });
type Progress = z.infer<typeof progressSchema>;

interface ExpiryRun {
  /** Details of the last heartbeat of an earlier attempt. */
  heartbeat?: unknown;
  /** Called after each slice with the details of the next heartbeat. */
  onSlice?: (progress: Progress) => void;
  /** The slice that exceeds it is the last. */
  budgetMs: number;
}

/** Removes slice by slice, resuming where an earlier attempt stopped. `isFinished` is false when the budget ended it. */
export async function runExpiry(
  em: Em,
  expire: Expire,
  { heartbeat, onSlice, budgetMs }: ExpiryRun,
): Promise<{ count: number; isFinished: boolean }> {
  const from = progressSchema.safeParse(heartbeat);
  let { count, cursor }: Progress = from.success ? from.data : { count: 0, cursor: null };
  const deadline = performance.now() + budgetMs;
  do {
    const slice = await expire(em.fork(), cursor);
    count += slice.count;
    cursor = slice.cursor === null ? null : [...slice.cursor];
    onSlice?.({ count, cursor });
  } while (cursor !== null && performance.now() < deadline);
  return { count, isFinished: cursor === null };
}
