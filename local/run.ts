import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createLogger } from '../runtime/logger.ts';
import { createShutdown, type Shutdown } from '../runtime/shutdown.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { readLocalEnvironment } from './environment.ts';
import { describeFailure } from './failure.ts';
import { sendSignal } from './process-identity.ts';
import { openProductLog } from './product-log.ts';
import { presentFirstStart, presentReady } from './ready-message.ts';
import { startStack } from './stack.ts';

export interface RunOptions {
  environment: Record<string, string | undefined>;
  print: (text: string) => void;
  printError: (text: string) => void;
}

/** One part may take this long to end: the grace of running work (20 s), and then some. */
const partTimeoutMs = 40_000;
/** The terminal and npm may both deliver one Ctrl-C; a second one by hand comes later than this. */
const sameSignalMs = 500;
/** How long an end waits for a start that is under way. */
const startPatienceMs = 10_000;

/**
 * Runs the local stack in this process until SIGTERM, SIGINT or SIGHUP, then ends it in order and exits with 0. A
 * second signal ends everything by force. A failure is printed as a sentence, its stack trace goes into the log,
 * and the exit code is 1.
 */
export async function runLocalStack({ environment, print, printError }: RunOptions): Promise<void> {
  const children = new Set<number>();
  const abort = new AbortController();
  let ending: 'no' | 'orderly' | 'forced' = 'no';
  let endingSince = 0;
  let starting: Promise<unknown> = Promise.resolve();
  let context: RunContext | undefined;

  async function end(exitCode: number): Promise<void> {
    if (ending !== 'no') return;
    ending = 'orderly';
    endingSince = Date.now();
    context?.data.noteEnding();
    abort.abort();
    // What has not come up yet is given up or comes up; only then does everything have its place in the shutdown.
    await Promise.race([starting.catch(() => undefined), delay(startPatienceMs)]);
    const clean = (await context?.shutdown.run()) ?? true;
    context?.data.release();
    context?.closeLog();
    process.exit(clean ? exitCode : 1);
  }

  function fail(error: unknown): void {
    if (ending !== 'no') return;
    context?.log.fatal({ err: error }, 'the local stack failed');
    printError(describeFailure(error, context?.data.path ?? '.data', context?.logFile));
    void end(1);
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (ending === 'no') {
      if (signal !== 'SIGHUP') print('Stopping …');
      void end(0);
    } else if (Date.now() - endingSince > sameSignalMs) {
      ending = 'forced';
      for (const pid of children) sendSignal(-pid, 'SIGKILL');
      process.exit(1);
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // A closed terminal or pipe is no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  try {
    const settings = readLocalEnvironment(environment);
    const data = await openDataDirectory(settings.DATA_DIR, { say: print });
    context = createContext(data, settings.LOG_LEVEL);
    const running = startStack({
      environment,
      settings,
      data,
      log: context.log,
      shutdown: context.shutdown,
      signal: abort.signal,
      say: print,
      onFailure: fail,
      onChild: (pid) => children.add(pid),
    });
    starting = running;
    const stack = await running;
    abort.signal.throwIfAborted();
    if (stack.isFirstStart && stack.credentials) print(presentFirstStart(stack.credentials, data.path));
    print(presentReady(stack.urls));
  } catch (error) {
    fail(error);
  }
}

interface RunContext {
  data: DataDirectory;
  log: Logger;
  logFile: string;
  shutdown: Shutdown;
  closeLog(): void;
}

function createContext(data: DataDirectory, level: string): RunContext {
  const logFile = join(data.path, 'logs', 'posthaste.log');
  const file = openProductLog(logFile, () => undefined);
  const log = createLogger(level, file.destination);
  return { data, log, logFile, shutdown: createShutdown(log, partTimeoutMs), closeLog: file.close };
}
