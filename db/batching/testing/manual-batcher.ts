import { setImmediate as immediate } from 'node:timers/promises';
import pg from 'pg';
import { Batcher, type BatcherOptions } from '../batcher.ts';

/** As the server reports a broken constraint. */
export class RolledBack extends pg.DatabaseError {
  constructor(message: string) {
    super(message, message.length, 'error');
    this.code = '23514';
  }
}

/** A batcher whose batches end when the test says so. */
export function manualBatcher(options: Partial<BatcherOptions<string, string>> = {}) {
  const runs: { items: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const batcher = new Batcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `did ${item}`)), fail: reject });
      }),
    maxItems: 100,
    concurrency: 1,
    ...options,
  });
  return { batcher, runs, batches: () => runs.map((run) => run.items) };
}

export const settled = async () => {
  await immediate();
  await immediate();
};
