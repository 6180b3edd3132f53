export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/**
 * Runs `attempt` until it begins and ends in the same minute or hour of the clock, by which limits count. One during
 * which the clock went over to the next proves nothing, whether it passes or fails. Each needs subjects of its own: the one before may
 * have used some of what is allowed in this period.
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
