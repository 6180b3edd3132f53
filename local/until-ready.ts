import { setTimeout as delay } from 'node:timers/promises';
import { type ChildExit, panicIn, type RunningChild } from './child-process.ts';
import { LocalStackError } from './failure.ts';

/**
 * More than a busy machine needs, or a slow disk for Postgres's crash recovery, which replays at most `max_wal_size` of
 * log. A child that ends is noticed immediately.
 */
const timeoutMs = 120_000;

export class EndedWhileStarting extends LocalStackError {}

interface Wait {
  name: string;
  /** Called every 20 ms. Any error means "not yet", except a LocalStackError. */
  isReady: () => Promise<boolean>;
  signal: AbortSignal | undefined;
}

/**
 * Waits until a child answers, and stops it when it does not.
 * @throws EndedWhileStarting; LocalStackError when it takes too long
 */
export async function untilReady(child: RunningChild, wait: Wait): Promise<void> {
  try {
    await poll(child, wait);
    wait.signal?.throwIfAborted();
  } catch (error) {
    await child.stop();
    wait.signal?.throwIfAborted();
    throw error;
  }
}

async function poll(child: RunningChild, { name, isReady }: Wait): Promise<void> {
  let exit: ChildExit | undefined;
  void child.exited.then((value) => {
    exit = value;
  });
  const deadline = Date.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    if (exit !== undefined) {
      const { lastLines } = exit;
      const said =
        panicIn(lastLines) ?? lastLines.findLast((line) => /error/i.test(line)) ?? lastLines.at(-1);
      throw new EndedWhileStarting(`${name} ended while it was starting: ${said ?? 'no output'}`);
    }
    if (Date.now() > deadline) {
      const message = `${name} did not answer within ${timeoutMs / 1_000} seconds; see its log.`;
      throw new LocalStackError(message, { cause });
    }
    try {
      if (await isReady()) return;
    } catch (error) {
      if (error instanceof LocalStackError) throw error;
      cause = error;
    }
    await delay(20);
  }
}
