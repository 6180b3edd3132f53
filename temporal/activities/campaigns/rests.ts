const firstRestMs = 1_000;
const longestRestMs = 30_000;

/**
 * Campaigns of which nothing could be sent: they wait for their rate, for events of the provider, or for their project to
 * be enabled. Each rests twice as long every time, so that it keeps nobody from others, which may be sent.
 */
export function createRests(now: () => number = Date.now) {
  const rests = new Map<string, { ms: number; until: number }>();
  return {
    note(id: string, hasSent: boolean): void {
      const ms = Math.min(2 * (rests.get(id)?.ms ?? firstRestMs / 2), longestRestMs);
      if (hasSent) rests.delete(id);
      else rests.set(id, { ms, until: now() + ms });
    },
    /** Ids of those that rest now. */
    current(): string[] {
      for (const [id, { until }] of rests) if (now() - until > longestRestMs) rests.delete(id);
      return [...rests].filter(([, { until }]) => until > now()).map(([id]) => id);
    },
  };
}
