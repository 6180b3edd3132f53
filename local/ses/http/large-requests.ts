import type { IncomingMessage } from 'node:http';

/** A larger body and what is parsed from it take four times its length in memory. */
const largeBytes = 1024 * 1024;
const atOnce = 2;

/**
 * Limits how many requests with large bodies run at a time. The others wait unread, which slows their senders
 * down.
 */
export class LargeRequests {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  async run<Result>(request: IncomingMessage, handle: () => Promise<Result>): Promise<Result> {
    // Without a length it may be of any size.
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (length <= largeBytes) return handle();
    if (this.#running < atOnce) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await handle();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
