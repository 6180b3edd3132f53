import { vi } from 'vitest';
import type { Em } from '../../db/orm.ts';

/** Makes a change right after the next query outside transactions, before the query that follows it. */
export function afterFirstQuery(em: Em, change: () => Promise<unknown>): void {
  const client = em.getConnection().getClient();
  const run = client.executeQuery.bind(client);
  vi.spyOn(client, 'executeQuery').mockImplementationOnce(async (text) => {
    const result = await run(text);
    await change();
    // as: the signature is generic in the row.
    return result as never;
  });
}
