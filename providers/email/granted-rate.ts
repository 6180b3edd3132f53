const refreshMs = 60 * 60 * 1000;
const retryMs = 30 * 1000;

/**
 * Caches a provider setting that rarely changes: refreshed every hour, or 30 seconds after a failure, with one request
 * at a time. The first callers wait for the answer; later callers get the last answer during a refresh.
 *
 * @returns the last answer; rejects only until there is one
 */
export function createGrantedRate<Rate>(
  ask: () => Promise<Rate>,
  delays: { refreshMs: number; retryMs: number } = { refreshMs, retryMs },
): () => Promise<Rate> {
  let known: { rate: Rate } | undefined;
  let failure: unknown;
  let nextAskAt = 0;
  let asking: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      known = { rate: await ask() };
      nextAskAt = performance.now() + delays.refreshMs;
    } catch (error) {
      failure = error;
      nextAskAt = performance.now() + delays.retryMs;
    } finally {
      asking = undefined;
    }
  }

  return async () => {
    if (asking === undefined && performance.now() >= nextAskAt) asking = refresh();
    if (known === undefined) await asking;
    if (known === undefined) throw failure;
    return known.rate;
  };
}
