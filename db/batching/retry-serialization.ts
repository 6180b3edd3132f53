import pg from 'pg';

const retried = new Set(['40001', '40P01']);
const attempts = 5;

/**
 * Runs a transaction again when it lost against another one: a serialization failure or a deadlock, both of
 * which leave nothing behind.
 */
export async function retrySerialization<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const lost = error instanceof pg.DatabaseError && retried.has(error.code ?? '');
      if (!lost || attempt >= attempts) throw error;
    }
  }
}
