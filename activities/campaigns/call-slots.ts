/** Lets a bounded number of pieces of work run at a time, and those who wait for it take turns. */
export interface CallSlots {
  /**
   * Waits for a slot; the answered function gives it back.
   *
   * @param owner owners get slots in turns, however many each of them waits for; one owner's work keeps its order
   */
  take(owner: string): Promise<() => void>;
  /** Runs `work` in a slot. */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

export function createCallSlots(count: number): CallSlots {
  // In the order of their turns.
  const waiting = new Map<string, (() => void)[]>();
  let free = count;

  /** The slot goes straight to the next one, so that nobody who comes later overtakes. */
  function pass(): void {
    const [turn] = waiting;
    if (turn === undefined) {
      free += 1;
      return;
    }
    const [owner, queue] = turn;
    const next = queue.shift();
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    next?.();
  }

  async function take(owner: string): Promise<() => void> {
    if (free > 0) free -= 1;
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(owner);
        if (queue === undefined) waiting.set(owner, [resolve]);
        else queue.push(resolve);
      });
    }
    let isTaken = true;
    return () => {
      if (isTaken) pass();
      isTaken = false;
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
  };
}
