import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../runtime/logger.ts';
import { createShutdown } from '../runtime/shutdown.ts';
import type { OnSpawn } from './child-process.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { readLocalEnvironment } from './environment.ts';
import { describeFailure } from './failure.ts';
import { openLogFile } from './log-file.ts';
import { sendSignal } from './process-identity.ts';
import { presentFirstStart, presentReady, presentRealSes, presentSignIn } from './ready-message.ts';
import { startStack } from './stack.ts';

export interface RunOptions {
  environment: Record<string, string | undefined>;
  print: (text: string) => void;
  printError: (text: string) => void;
}

/** The grace period of running work (20 s) plus a margin. */
const partTimeoutMs = 40_000;
/** The terminal and npm may both deliver one Ctrl-C; a second one by hand comes later than this. */
const sameSignalMs = 500;
const startPatienceMs = 10_000;

/**
 * Runs the local stack in this process until SIGTERM, SIGINT or SIGHUP, then shuts down in order and exits with 0. A
 * second signal kills everything. A failure prints one message, logs the stack trace and exits with 1.
 */
export async function runLocalStack(options: RunOptions): Promise<void> {
  const run = new LocalRun(options);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, run.onSignal);
  process.on('uncaughtException', run.fail);
  process.on('unhandledRejection', run.fail);
  // A closed terminal or pipe is no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await run.start();
  } catch (error) {
    run.fail(error);
  }
}

class LocalRun {
  readonly #options: RunOptions;
  readonly #children = new Set<number>();
  readonly #abort = new AbortController();
  #ending: 'no' | 'orderly' | 'forced' = 'no';
  #endingSince = 0;
  #starting: Promise<unknown> = Promise.resolve();
  #context: ReturnType<typeof createContext> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { environment, print } = this.#options;
    const settings = readLocalEnvironment(environment);
    const data = await openDataDirectory(settings.DATA_DIR, { say: print });
    this.#context = createContext(data, settings.LOG_LEVEL);
    const running = startStack({
      environment,
      settings,
      data,
      log: this.#context.log,
      shutdown: this.#context.shutdown,
      signal: this.#abort.signal,
      say: print,
      onFailure: this.fail,
      onChild: this.#onChild,
    });
    this.#starting = running;
    const stack = await running;
    this.#abort.signal.throwIfAborted();
    if (stack.isFirstStart && stack.credentials) print(presentFirstStart(stack.credentials, data.path));
    const realSes = presentRealSes(settings);
    if (realSes !== undefined) print(realSes);
    print(presentReady(stack.urls));
    if (stack.signInLink !== undefined) print(presentSignIn(stack.signInLink));
  }

  readonly #onChild: OnSpawn = ({ pid, exited }) => {
    this.#children.add(pid);
    // Another program may get its id.
    void exited.then(() => this.#children.delete(pid));
  };

  readonly fail = (error: unknown): void => {
    if (this.#ending !== 'no') return;
    const context = this.#context;
    context?.log.fatal({ err: error }, 'the local stack failed');
    this.#options.printError(describeFailure(error, context?.data.path ?? '.data', context?.logFile));
    void this.#end(1);
  };

  readonly onSignal = (signal: NodeJS.Signals): void => {
    if (this.#ending === 'no') {
      // Marks the end first, because the next run may start as soon as the message appears.
      void this.#end(0);
      if (signal !== 'SIGHUP') this.#options.print('Stopping …');
    } else if (Date.now() - this.#endingSince > sameSignalMs) {
      this.#ending = 'forced';
      for (const pid of this.#children) sendSignal(-pid, 'SIGKILL');
      process.exit(1);
    }
  };

  async #end(exitCode: number): Promise<void> {
    if (this.#ending !== 'no') return;
    this.#ending = 'orderly';
    this.#endingSince = Date.now();
    this.#context?.data.noteEnding();
    this.#abort.abort();
    // Wait until every starting part is up or abandoned; only then are all of them registered for the shutdown.
    await Promise.race([this.#starting.catch(() => undefined), delay(startPatienceMs)]);
    const clean = (await this.#context?.shutdown.run()) ?? true;
    this.#context?.data.release();
    await this.#context?.closeLog();
    process.exit(clean ? exitCode : 1);
  }
}

function createContext(data: DataDirectory, level: string) {
  const logFile = join(data.path, 'logs', 'posthaste.log');
  const file = openLogFile(logFile, { maxBytes: 50_000_000, isBuffered: true });
  const log = createLogger(level, file.destination);
  return { data, log, logFile, shutdown: createShutdown(log, partTimeoutMs), closeLog: file.close };
}
