import { StatementError } from './statement-error.ts';

const mostWaiting = 200;
const longestWaitMs = 20_000;

/** Hands out connections to the engine, each for one statement at a time, in the order of the requests. */
export class Connections<Connection> {
  readonly #idle: Connection[];
  readonly #waiting = new Set<(connection: Connection) => void>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(connections: readonly Connection[]) {
    this.#idle = [...connections];
  }

  /**
   * @param gone aborts the wait for a connection; a running statement can't be interrupted
   * @throws StatementError when too many statements are waiting, or this one waited too long
   */
  async use<T>(gone: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw tooBusy('ClickHouse is shutting down');
    const connection = this.#idle.pop() ?? (await this.#wait(gone));
    const running = work(connection);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#giveBack(connection);
    }
  }

  /** Rejects waiting statements and resolves when none is running. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #wait(gone: AbortSignal): Promise<Connection> {
    if (this.#waiting.size >= mostWaiting) throw tooBusy('Too many statements are waiting');
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const leave = AbortSignal.any([gone, this.#closing.signal, AbortSignal.timeout(longestWaitMs)]);
    const refuse = () => {
      this.#waiting.delete(resolve);
      reject(tooBusy('The statement waited too long, or its client is gone'));
    };
    this.#waiting.add(resolve);
    if (leave.aborted) refuse();
    else leave.addEventListener('abort', refuse, { once: true });
    return promise;
  }

  #giveBack(connection: Connection): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#idle.push(connection);
    else {
      this.#waiting.delete(next);
      next(connection);
    }
  }
}

const tooBusy = (text: string) => new StatementError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', text, 503);
