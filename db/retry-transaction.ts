import { isLostRace } from './database-errors.ts';
import type { Em } from './orm.ts';

const attempts = 5;

/** Retries a transaction that lost a race (`isLostRace`), up to five attempts in total. */
export async function retryTransaction<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isLostRace(error) || attempt >= attempts) throw error;
    }
  }
}

/** Runs `work` in a transaction of its own, with such retries. */
export const inRetriedTransaction = <Result>(em: Em, work: (own: Em) => Promise<Result>): Promise<Result> =>
  retryTransaction(() => em.fork().transactional(work));
