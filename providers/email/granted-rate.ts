const refreshMs = 60 * 60 * 1000;
const retryMs = 30 * 1000;

/**
 * Remembers an answer of the provider that changes rarely. Asks once at a time: at first all wait for the answer,
 * later the last one holds while it is asked again every hour, after a failure half a minute later.
 *
 * @returns the last answer; rejects only while there never was one
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
      nextAskAt = Date.now() + delays.refreshMs;
    } catch (error) {
      failure = error;
      nextAskAt = Date.now() + delays.retryMs;
    } finally {
      asking = undefined;
    }
  }

  return async () => {
    if (asking === undefined && Date.now() >= nextAskAt) asking = refresh();
    if (known === undefined) await asking;
    if (known === undefined) throw failure;
    return known.rate;
  };
}
