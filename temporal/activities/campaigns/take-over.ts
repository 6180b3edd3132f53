import { pause } from '../../../core/pause.ts';
import { Campaign } from '../../../db/entities/campaign.ts';
import type { Orm } from '../../../db/orm.ts';
import type { Warn } from '../../../runtime/logger.ts';

export interface TakeOverDependencies {
  orm: Orm;
  start: (campaignId: string) => void;
  isIdle: () => boolean;
  warn: Warn;
}

/** As many as a process works on at a time. */
const campaignsAtOnce = 4;

const lookEveryMs = 500;
/** While Postgres is away, every look fails. */
const warnEveryMs = 60_000;

/** Starts campaigns that other workers left behind, as long as this worker is idle. Never rejects. */
export function createTakeOver({ orm, start, isIdle, warn }: TakeOverDependencies) {
  const stopping = new AbortController();
  const turns = createTurns();
  let looking: Promise<void> = Promise.resolve();
  let warnedAt = -warnEveryMs;

  async function look(): Promise<void> {
    try {
      const campaigns = orm.em.fork().getRepository(Campaign);
      const ids = await turns.next((except) => campaigns.listSending(except, campaignsAtOnce));
      for (const id of ids) start(id);
    } catch (error) {
      if (performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      warn('Could not look for campaigns to take over; Temporal will restart them', error);
    }
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(lookEveryMs, stopping.signal);
      if (!stopping.signal.aborted && isIdle()) await look();
    }
  }

  return {
    /** Resolves after the first look. */
    async begin(): Promise<void> {
      const first = look();
      looking = first.then(keepLooking);
      await first;
    },
    note: (campaignId: string, emails: number) => turns.note(campaignId, emails > 0),
    async stop(): Promise<void> {
      stopping.abort();
      await looking;
    },
  };
}

const firstRestMs = 1_000;
const longestRestMs = 30_000;

/**
 * Whose turn it is. Campaigns take turns: none gets a second one before all open ones have had their first. A campaign
 * that could send nothing (it waits for its rate or for provider events, or is paused) also backs off, doubling each
 * time.
 */
export function createTurns(now: () => number = () => performance.now()) {
  const rests = new Map<string, { ms: number; until: number }>();
  const hadTurn = new Set<string>();

  function resting(): string[] {
    for (const [id, { until }] of rests) if (now() - until > longestRestMs) rests.delete(id);
    return [...rests].filter(([, { until }]) => until > now()).map(([id]) => id);
  }

  return {
    /** @param list finds open campaigns other than these */
    async next(list: (except: string[]) => Promise<string[]>): Promise<string[]> {
      let ids = await list([...new Set([...hadTurn, ...resting()])]);
      if (ids.length === 0 && hadTurn.size > 0) {
        hadTurn.clear();
        ids = await list(resting());
      }
      for (const id of ids) hadTurn.add(id);
      return ids;
    },
    note(id: string, hasSent: boolean): void {
      const ms = Math.min(2 * (rests.get(id)?.ms ?? firstRestMs / 2), longestRestMs);
      if (hasSent) rests.delete(id);
      else rests.set(id, { ms, until: now() + ms });
    },
  };
}
