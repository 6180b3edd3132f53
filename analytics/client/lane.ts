import { ClickHouseUnavailable } from './errors.ts';

export interface Lane<Client> {
  run<T>(task: (client: Client) => Promise<T>): Promise<T>;
  drained(): Promise<void>;
}

const maxWaiting = 200;

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
