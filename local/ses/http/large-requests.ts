import type { IncomingMessage } from 'node:http';

/** A body above this is large; it and what is parsed out of it are four times its length in memory. */
const largeBytes = 1024 * 1024;
const atOnce = 2;

/** Lets a few requests with large bodies run at a time. The others wait unread, so that their senders wait with them. */
export class LargeRequests {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Runs the handling of a request, from before its body is read. */
  async run<Result>(request: IncomingMessage, handle: () => Promise<Result>): Promise<Result> {
    // Without a length it may be of any.
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
