import { Context } from '@temporalio/activity';
import { type Slice, SliceOver } from '../../core/slice.ts';

const usualIntervalMs = 4_000;

/**
 * Runs an activity with its own heartbeat timer, for work that may outlast the heartbeat timeout. Local activities
 * need none: the worker keeps their workflow task alive.
 *
 * @param work receives the activity's cancellation signal, `note`, which sets the heartbeat details, and those that an
 * earlier attempt left
 */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal, note: (details: unknown) => void, left: unknown) => Promise<Result>,
  intervalMs = usualIntervalMs,
): Promise<Result> {
  const context = Context.current();
  const { isLocal, heartbeatDetails } = context.info;
  if (isLocal) return work(context.cancellationSignal, () => undefined, heartbeatDetails);
  // Otherwise the first heartbeat of this attempt would overwrite them.
  let details: unknown = heartbeatDetails;
  const timer = setInterval(() => context.heartbeat(details), intervalMs);
  const note = (next: unknown) => {
    details = next;
    context.heartbeat(next);
  };
  try {
    return await work(context.cancellationSignal, note, heartbeatDetails);
  } finally {
    clearInterval(timer);
  }
}

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
