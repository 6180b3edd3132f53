import type { Logger } from 'pino';
import { ConfigError } from '../core/config/load.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';

const partTimeoutMs = 60_000;

/**
 * Runs a process: `start` brings it up and registers its parts for shutdown. SIGTERM and SIGINT end them in order, a
 * second signal exits immediately. The exit code is 0 after a clean end.
 *
 * @param start `ended` of its result rejects when the process can't go on
 */
export async function runProcess(
  log: Logger,
  start: (shutdown: Shutdown) => Promise<{ ended: Promise<void> } | void>,
): Promise<void> {
  const shutdown = createShutdown(log, partTimeoutMs);
  let ending = false;
  const end = async (reason: string, failed: boolean) => {
    if (ending) process.exit(1);
    ending = true;
    log.info({ reason }, 'ending');
    const clean = await shutdown.run();
    log.flush(() => process.exit(failed || !clean ? 1 : 0));
  };
  process.on('SIGTERM', () => void end('SIGTERM', false));
  process.on('SIGINT', () => void end('SIGINT', false));
  process.on('unhandledRejection', (err) => {
    log.fatal({ err }, 'unhandled rejection');
    void end('unhandled rejection', true);
  });
  let failure = 'could not start';
  try {
    const running = await start(shutdown);
    failure = 'stopped working';
    await running?.ended;
  } catch (error) {
    // The shutdown interrupts a start that waits for a store.
    if (ending) return;
    if (error instanceof ConfigError) log.fatal(error.message);
    else log.fatal({ err: error }, failure);
    await end(failure, true);
  }
}
