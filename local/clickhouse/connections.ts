import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { StatementError } from './statement-error.ts';

const mostWaiting = 200;
const longestWaitMs = 20_000;

/** Hands out connections to the engine, each for one statement at a time, in the order of the requests. */
export class Connections<Connection> {
  readonly #idle: Connection[];
  readonly #places: FairSemaphore;
  readonly #closing = new AbortController();

  constructor(connections: readonly Connection[]) {
    this.#idle = [...connections];
    this.#places = new FairSemaphore(connections.length);
  }

  /**
   * @param gone aborts the wait for a connection; a running statement can't be interrupted
   * @throws StatementError when too many statements are waiting, or this one waited too long
   */
  async use<T>(gone: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw tooBusy('ClickHouse is shutting down');
    const release = await this.#takePlace(gone);
    const connection = this.#idle.pop();
    // A place stands for a connection.
    if (connection === undefined) throw new Error('There are more places than connections');
    try {
      return await work(connection);
    } finally {
      this.#idle.push(connection);
      release();
    }
  }

  /** Rejects waiting statements and resolves when none is running. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#places.acquire('', this.#places.capacity);
  }

  async #takePlace(gone: AbortSignal): Promise<() => void> {
    if (this.#places.hasRoom('')) return this.#places.acquire('');
    if (this.#places.waiting() >= mostWaiting) throw tooBusy('Too many statements are waiting');
    const leave = AbortSignal.any([gone, this.#closing.signal, AbortSignal.timeout(longestWaitMs)]);
    return this.#places.acquire('', 1, leave).catch(() => {
      throw tooBusy('The statement waited too long, or its client is gone');
    });
  }
}

const tooBusy = (text: string) => new StatementError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', text, 503);
