import { setTimeout as delay } from 'node:timers/promises';
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

/** Starts what other workers left behind, as long as this one is idle. Nothing of it rejects. */
export function createTakeOver({ orm, start, isIdle, warn }: TakeOverDependencies) {
  const stopping = new AbortController();
  const rests = createRests();
  let sent = 0;
  let looking: Promise<unknown> = Promise.resolve();

  /** @returns whether it found a campaign, or the look failed */
  async function look(): Promise<boolean> {
    try {
      const campaigns = orm.em.fork().getRepository(Campaign);
      const ids = await campaigns.listSending(rests.current(), campaignsAtOnce);
      for (const id of ids) start(id);
      return ids.length > 0;
    } catch (error) {
      warn('Could not look for campaigns to take over; Temporal will', error);
      return true;
    }
  }

  return {
    /** Resolves after the first look. */
    async begin(): Promise<void> {
      const first = look();
      const wait = (ms: number) => delay(ms, undefined, { signal: stopping.signal, ref: false });
      looking = first
        .then(() => keepLooking({ look, isIdle, sent: () => sent, wait }))
        .catch(() => undefined);
      await first;
    },
    note(campaignId: string, emails: number): void {
      sent += emails;
      rests.note(campaignId, emails > 0);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await looking;
    },
  };
}

export interface Looking {
  /** Resolves to whether there was anything open. */
  look: () => Promise<boolean>;
  isIdle: () => boolean;
  sent: () => number;
  /** Rejects when looking has to end. */
  wait: (ms: number) => Promise<unknown>;
}

const lookEveryMs = 500;
/** While nothing that is open can be sent: it waits for its rate, or for events of the provider. */
const longestPauseMs = 30_000;

export async function keepLooking({ look, isIdle, sent, wait }: Looking): Promise<never> {
  let [pauseMs, isOpen, sentBefore] = [lookEveryMs, false, 0];
  for (;;) {
    await wait(pauseMs);
    if (!isIdle()) continue;
    const isInVain = isOpen && sent() === sentBefore;
    pauseMs = isInVain ? Math.min(2 * pauseMs, longestPauseMs) : lookEveryMs;
    sentBefore = sent();
    isOpen = await look();
  }
}

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
    current(): string[] {
      for (const [id, { until }] of rests) if (now() - until > longestRestMs) rests.delete(id);
      return [...rests].filter(([, { until }]) => until > now()).map(([id]) => id);
    },
  };
}
