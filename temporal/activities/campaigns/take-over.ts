import { setTimeout as delay } from 'node:timers/promises';
import { Campaign } from '../../../db/entities/campaign.ts';
import type { Orm } from '../../../db/orm.ts';
import type { Warn } from '../../../runtime/logger.ts';
import { keepLooking } from './keep-looking.ts';
import { createRests } from './rests.ts';

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

  /** @returns whether there was any, or the look failed */
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
    /** Call at the end of each run of a campaign. */
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
