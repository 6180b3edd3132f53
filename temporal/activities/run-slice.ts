import { type Slice, SliceOver } from '../../core/slice.ts';
import { withHeartbeat } from './with-heartbeat.ts';

/**
 * Runs a slice of long work as an activity.
 *
 * @param sliceMs without it, the slice lasts until the work is done
 * @returns whether another slice has to continue
 */
export async function runSlice(
  sliceMs: number | undefined,
  work: (slice: Slice) => Promise<void>,
): Promise<boolean> {
  const endsAt = performance.now() + (sliceMs ?? Infinity);
  try {
    await withHeartbeat((signal) => work({ signal, endsAt }));
    return false;
  } catch (error) {
    if (error instanceof SliceOver) return true;
    throw error;
  }
}
