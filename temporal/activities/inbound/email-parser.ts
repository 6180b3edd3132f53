import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ParsedEmail } from '../../../core/inbound/parse-email.ts';

/** Ten times what the slowest genuine email of 30 MB takes. */
const usualDeadlineMs = 10_000;
const heapMb = 256;

/**
 * Parses emails one by one in a worker thread, so that a hostile email can neither block nor crash this process. The
 * thread starts with the first email.
 */
export class EmailParser {
  readonly #deadlineMs: number;
  #thread: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deadlineMs = usualDeadlineMs) {
    this.#deadlineMs = deadlineMs;
  }

  /** @returns undefined when the email is unreadable or exceeds the time or memory limit */
  parse(raw: Uint8Array): Promise<ParsedEmail | undefined> {
    const next = this.#last.then(() => this.#parseNext(raw));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async stop(): Promise<void> {
    await this.#last;
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const started = new Worker(new URL('./parse-thread.ts', import.meta.url), {
      name: 'inbound emails',
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const forget = () => {
      if (this.#thread === started) this.#thread = undefined;
    };
    started.on('error', forget).on('exit', forget);
    started.unref();
    return started;
  }

  async #parseNext(raw: Uint8Array): Promise<ParsedEmail | undefined> {
    this.#thread ??= this.#start();
    const current = this.#thread;
    const signal = AbortSignal.timeout(this.#deadlineMs);
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    try {
      const answer = once(current, 'message', { signal: until });
      const end = once(current, 'exit', { signal: until });
      current.postMessage(raw);
      // as: our own thread posts nothing else.
      const [parsed] = (await Promise.race([answer, end.then(() => [undefined])])) as [
        ParsedEmail | undefined,
      ];
      return parsed;
    } catch {
      if (this.#thread === current) this.#thread = undefined;
      await current.terminate();
      return undefined;
    } finally {
      over.abort();
    }
  }
}
