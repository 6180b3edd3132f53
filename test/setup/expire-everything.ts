import type { Em } from '../../db/orm.ts';
import { createExpiries } from '../../db/statements/sweeps/expiries.ts';
import type { ExpiryCursor } from '../../db/statements/sweeps/expiry.ts';

/** Deletes everything that has expired in Postgres. Resolves to the counts by name. */
export async function expireEverything(em: Em, bodyRetentionDays: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, expire] of Object.entries(createExpiries(bodyRetentionDays))) {
    let [total, cursor]: [number, ExpiryCursor | null] = [0, null];
    do {
      const slice = await expire(em, cursor);
      total += slice.count;
      cursor = slice.cursor;
    } while (cursor !== null);
    counts[name] = total;
  }
  return counts;
}
