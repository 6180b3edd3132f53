/** Runs a test, and again when the window by which limits count has ended meanwhile: each run needs its own subjects. */
function inOneWindow(windowMs: number, test: () => Promise<void>): () => Promise<void> {
  const windowNow = () => Math.floor(Date.now() / windowMs);
  return async () => {
    for (let isOver = true; isOver; ) {
      const window = windowNow();
      const [outcome] = await Promise.allSettled([test()]);
      isOver = windowNow() !== window;
      if (!isOver && outcome.status === 'rejected') throw outcome.reason;
    }
  };
}

export const inOneMinute = (test: () => Promise<void>) => inOneWindow(60_000, test);
export const inOneHour = (test: () => Promise<void>) => inOneWindow(3_600_000, test);
