import { sleep } from '@temporalio/workflow';
import { isHistoryLong } from './history-limits.ts';

export interface Turns<Item> {
  /**
   * The waiting items, in order; empty when the round is over. Called again and again, so that new items get their
   * turn.
   */
  list: () => Promise<Item[]>;
  idOf: (item: Item) => string;
  atOnce: number;
  /** Never rejects, unless the workflow is canceled. */
  run: (item: Item) => Promise<void>;
}

/**
 * Runs the waiting items until none is left. An item that takes long does not hold up the others.
 *
 * @returns whether the round is over; false when the history has grown long first
 */
export async function takeTurns<Item>({ list, idOf, atOnce, run }: Turns<Item>): Promise<boolean> {
  const busy = new Map<string, Promise<void>>();
  let waiting: Item[] = [];
  while (!isHistoryLong('segments')) {
    if (waiting.length === 0) {
      // An item whose turn ends during the query may still be listed; the next list is correct.
      const begun = new Set(busy.keys());
      waiting = (await list()).filter((item) => !begun.has(idOf(item)));
      if (waiting.length === 0 && begun.size === 0) return true;
    }
    const item = busy.size < atOnce ? waiting.shift() : undefined;
    if (item !== undefined) busy.set(idOf(item), end(item));
    else if (busy.size > 0)
      await Promise.race([...busy.values(), ...(waiting.length === 0 ? [sleep('5 seconds')] : [])]);
  }
  await Promise.all(busy.values());
  return false;

  async function end(item: Item): Promise<void> {
    await run(item);
    busy.delete(idOf(item));
  }
}
