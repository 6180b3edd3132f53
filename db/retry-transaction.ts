import { isLostRace } from './database-errors.ts';

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
