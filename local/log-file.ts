import { once } from 'node:events';
import { renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { LocalStackError } from './failure.ts';

export interface LogFileOptions {
  maxBytes: number;
  /** Writes lines in blocks, which a crash may lose, instead of one by one. */
  isBuffered?: boolean;
  checkIntervalMs?: number;
}

/**
 * Opens a log file (mode 0600), keeping that of the last run as `<path>.1`. Starts a new file beyond `maxBytes`.
 * Writing never fails, even if the disk does.
 */
export function openLogFile(
  path: string,
  { maxBytes, isBuffered = false, checkIntervalMs = 5_000 }: LogFileOptions,
) {
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const exchange = () => {
    if (size() > 0) renameSync(path, `${path}.1`);
  };
  const open = () => {
    exchange();
    const buffering = { sync: false, minLength: 8_192, periodicFlush: 500 };
    return pino.destination({ dest: path, mode: 0o600, ...(isBuffered ? buffering : { sync: true }) });
  };
  const destination = orSay(path, open);
  destination.on('error', () => undefined);
  const timer = setInterval(() => {
    try {
      if (size() <= maxBytes) return;
      exchange();
      destination.reopen();
    } catch {
      // The disk may recover.
    }
  }, checkIntervalMs);
  timer.unref();
  return {
    destination,
    /** Resolves when every line is in the file, or after 2 s if the disk fails. */
    async close() {
      clearInterval(timer);
      const closed = once(destination, 'close').catch(() => undefined);
      destination.end();
      await Promise.race([closed, delay(2_000, undefined, { ref: false })]);
    },
  };
}

function orSay<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw new LocalStackError(
      `The log file ${path} can't be written (${error instanceof Error ? error.message : error}). Correct the permissions of the folder, or set DATA_DIR to another one.`,
      { cause: error },
    );
  }
}
