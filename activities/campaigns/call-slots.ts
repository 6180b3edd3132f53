/** Lets a bounded number of pieces of work run at a time, the others in the order in which they came. */
export interface CallSlots {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createCallSlots(count: number): CallSlots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // The slot goes straight to the next one, so that nobody who comes later overtakes.
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
