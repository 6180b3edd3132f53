/** What has to be taken away when a bench ends, the latest first: processes, then the folders they work in. */
export type CleanUp = (step: () => Promise<unknown>) => void;

const running = new Set<() => Promise<void>>();

/** Runs `work`, and then in reverse what it added for the end, whether it succeeds or not. */
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

/** Ends everything at once, for a run that is interrupted. */
export async function cleanUpNow(): Promise<void> {
  await Promise.allSettled([...running].map((end) => end()));
}
