import { ClickHouseUnavailable } from './errors.ts';

/** Runs tasks on a client; how many at a time depends on what is behind it. */
export interface Lane<Client> {
  run<T>(task: (client: Client) => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits any more. */
  drained(): Promise<void>;
}

/** Beyond this many waiting tasks an engine that runs one at a time has fallen hopelessly behind. */
const maxWaiting = 200;

/** One task at a time, in the order of their arrival. */
export function createSerialLane<Client>(client: Client): Lane<Client> {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    run(task) {
      if (waiting >= maxWaiting) {
        return Promise.reject(new ClickHouseUnavailable('ClickHouse has too many queries waiting'));
      }
      waiting += 1;
      const result = tail.then(() => task(client));
      tail = result
        .catch(() => undefined)
        .then(() => {
          waiting -= 1;
        });
      return result;
    },
    async drained() {
      await tail;
    },
  };
}

/** As many tasks at a time as there are; the client queues by itself. */
export function createParallelLane<Client>(client: Client): Lane<Client> {
  const running = new Set<Promise<unknown>>();
  return {
    run(task) {
      const result = task(client);
      running.add(result);
      const forget = () => void running.delete(result);
      result.then(forget, forget);
      return result;
    },
    async drained() {
      await Promise.allSettled(running);
    },
  };
}
