import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ParsedEmail } from '../../core/inbound/parse-email.ts';

export interface EmailParser {
  /** Takes an email apart; undefined for one that is unreadable, takes too long or too much memory. */
  parse(raw: Uint8Array): Promise<ParsedEmail | undefined>;
  stop(): Promise<void>;
}

/** Ten times what the slowest genuine email of 30 MB takes. */
const deadlineMs = 10_000;
/** Of the heap of JavaScript; the bytes of attachments are outside of it. */
const heapMb = 256;

/**
 * Takes emails apart in a thread, one after the other: whatever a stranger sends, nothing else in this process waits
 * for it or ends with it. The thread starts with the first email.
 */
export function createEmailParser(options = { deadlineMs }): EmailParser {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const started = new Worker(new URL('./parse-thread.ts', import.meta.url), {
      name: 'inbound emails',
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const forget = () => {
      if (thread === started) thread = undefined;
    };
    started.on('error', forget).on('exit', forget);
    started.unref();
    return started;
  }

  async function parseNext(raw: Uint8Array): Promise<ParsedEmail | undefined> {
    thread ??= start();
    const current = thread;
    const signal = AbortSignal.timeout(options.deadlineMs);
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    try {
      const answer = once(current, 'message', { signal: until });
      const end = once(current, 'exit', { signal: until });
      current.postMessage(raw);
      // as: what our own thread answers.
      const [parsed] = (await Promise.race([answer, end.then(() => [undefined])])) as [
        ParsedEmail | undefined,
      ];
      return parsed;
    } catch {
      if (thread === current) thread = undefined;
      await current.terminate();
      return undefined;
    } finally {
      over.abort();
    }
  }

  return {
    parse(raw) {
      const next = last.then(() => parseNext(raw));
      last = next.catch(() => undefined);
      return next;
    },
    async stop() {
      await last;
      await thread?.terminate();
    },
  };
}
