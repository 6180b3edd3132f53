export type CleanUp = (step: () => Promise<unknown>) => void;

const running = new Set<() => Promise<void>>();

export async function withCleanUp<Result>(work: (add: CleanUp) => Promise<Result>): Promise<Result> {
  const steps: (() => Promise<unknown>)[] = [];
  const end = async () => {
    running.delete(end);
    for (const step of steps.splice(0).reverse()) await step();
  };
  running.add(end);
  try {
    return await work((step) => steps.push(step));
  } finally {
    await end();
  }
}

/** For an interrupted run. */
export async function cleanUpNow(): Promise<void> {
  await Promise.allSettled([...running].map((end) => end()));
}
