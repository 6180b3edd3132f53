export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/**
 * Repeats `attempt` until it starts and ends in the same minute or hour of the clock, the periods of the limits. An
 * attempt that crosses into the next period proves nothing, whether it passes or fails. Each attempt needs new
 * subjects: the previous one may have used up part of the limit.
 */
export async function withinOne<Result>(periodMs: number, attempt: () => Promise<Result>): Promise<Result> {
  const period = () => Math.floor(Date.now() / periodMs);
  for (;;) {
    const begunIn = period();
    const [outcome] = await Promise.allSettled([attempt()]);
    if (period() !== begunIn) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}
