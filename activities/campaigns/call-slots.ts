/** Bounds what runs at a time, and those who wait for it take turns. */
export interface CallSlots {
  /**
   * Waits for a slot; the answered function gives it back.
   *
   * @param owner owners get slots in turns, however many each of them waits for; one owner's work keeps its order
   * @param weight slots that the work takes, at most all there are; nobody overtakes who waits for several
   */
  take(owner: string, weight?: number): Promise<() => void>;
  /** Runs `work` in a slot. */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
  /** How many wait, of one owner or of all. */
  waiting(owner?: string): number;
}

interface Waiting {
  weight: number;
  start: () => void;
}

export function createCallSlots(count: number): CallSlots {
  // In the order of their turns.
  const waiting = new Map<string, Waiting[]>();
  let free = count;

  /** Slots go straight to the next ones, so that nobody who comes later overtakes. */
  function pass(): void {
    for (const [owner, queue] of waiting) {
      const [next] = queue;
      if (next !== undefined && next.weight > free) return;
      queue.shift();
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      if (next === undefined) continue;
      free -= next.weight;
      next.start();
    }
  }

  async function take(owner: string, wanted = 1): Promise<() => void> {
    const weight = Math.min(wanted, count);
    if (waiting.size === 0 && weight <= free) free -= weight;
    else {
      await new Promise<void>((start) => {
        const queue = waiting.get(owner);
        if (queue === undefined) waiting.set(owner, [{ weight, start }]);
        else queue.push({ weight, start });
      });
    }
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      free += weight;
      pass();
    };
  }

  return {
    take,
    async run(owner, work) {
      const giveBack = await take(owner);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
    waiting(owner) {
      if (owner !== undefined) return waiting.get(owner)?.length ?? 0;
      return [...waiting.values()].reduce((sum, queue) => sum + queue.length, 0);
    },
  };
}
