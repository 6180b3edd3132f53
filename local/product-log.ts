import { once } from 'node:events';
import { renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationStream, pino } from 'pino';

export interface ProductLog {
  destination: DestinationStream;
  /** Resolves when every line is in the file, or after 2 s of a failing disk. */
  close(): Promise<void>;
}

/**
 * Opens the product's log file (mode 0600), keeping that of the last run as `<path>.1`. Lines are buffered
 * and written in blocks; the file rotates beyond `maxBytes`. A failing disk calls `onError` but does not fail
 * the product.
 */
export function openProductLog(
  path: string,
  onError: (error: Error) => void,
  { maxBytes = 50_000_000, checkIntervalMs = 5_000 }: { maxBytes?: number; checkIntervalMs?: number } = {},
): ProductLog {
  const exchange = () => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(path, `${path}.1`);
  };
  exchange();
  const destination = pino.destination({
    dest: path,
    mode: 0o600,
    sync: false,
    minLength: 8_192,
    periodicFlush: 500,
  });
  destination.on('error', onError);
  const timer = setInterval(() => {
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return;
      exchange();
      destination.reopen();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  }, checkIntervalMs);
  timer.unref();
  return {
    destination,
    async close() {
      clearInterval(timer);
      const closed = once(destination, 'close').catch(() => undefined);
      destination.end();
      await Promise.race([closed, delay(2_000, undefined, { ref: false })]);
    },
  };
}
