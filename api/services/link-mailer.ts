import { linksPerHour, linkValidHours } from '../../core/accounts/limits.ts';
import { createAlarmClock } from '../../core/alarm-clock.ts';
import { nilId } from '../../core/nil-id.ts';
import { AccountToken } from '../../db/entities/account-token.ts';
import { LinkRequest } from '../../db/entities/link-request.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  dropLinkRequests,
  putOffLinkRequest,
  type TakenLinkRequest,
  takeLinkRequest,
} from '../../db/statements/accounts/link-requests.ts';
import type { OneTimeLinks } from './one-time-links.ts';
import type { ProjectPlaces } from './project-places.ts';

export interface LinkMailerOptions {
  orm: Orm;
  oneTimeLinks: Pick<OneTimeLinks, 'isConfigured' | 'createToken' | 'queueEmail'>;
  writes: Pick<ProjectPlaces, 'run'>;
  emailsQueued: () => void;
  warn: (message: string, error: unknown) => void;
}

export type LinkMailer = ReturnType<typeof createLinkMailer>;

const hourMs = 60 * 60 * 1000;
const pollMs = 2_000;
const mostDropped = 1_000;
/** All links of a process take turns with the writes of projects, as those of one project would. */
const owner = nilId;

/**
 * Mails the links that were promised. A promise is a row, so a process that is killed leaves it to the next one. These
 * rows are no outbox commands: a link needs an address and does not wait for Temporal.
 */
export function createLinkMailer(options: LinkMailerOptions) {
  const { oneTimeLinks, warn } = options;
  const alarm = createAlarmClock();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  let hasFailed = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      alarm.silence();
      try {
        await dropRequests(options, signal);
        while (oneTimeLinks.isConfigured && !signal.aborted && (await mailNext(options, signal)));
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !signal.aborted) warn('Account emails wait to be queued', error);
        hasFailed = true;
      }
      if (!signal.aborted) await alarm.sleep(pollMs * (0.5 + Math.random()));
    }
  }

  return {
    /** Call after a commit that promised a link. */
    wake: alarm.ring,

    /**
     * Mails what is promised here at once, and within seconds what a killed process has left. One link at a time is
     * enough, as none waits for a row that another transaction has locked.
     */
    start(): void {
      running ??= run();
    },

    /** Finishes the link under way; others are left to the next process. */
    async stop(): Promise<void> {
      stopping.abort();
      alarm.ring();
      await running;
    },
  };
}

async function dropRequests({ orm, writes, warn }: LinkMailerOptions, signal: AbortSignal): Promise<void> {
  const dropSome = () => dropLinkRequests(orm.em.fork(), mostDropped);
  for (;;) {
    const dropped = await writes.run(owner, dropSome, signal);
    for (const { lateUserId, purpose } of dropped) {
      if (lateUserId === null) continue;
      warn(
        'An account email was not queued',
        new Error(`Too late for the ${purpose} link of user ${lateUserId}`),
      );
    }
    if (dropped.length < mostDropped) return;
  }
}

/** @returns false when none is due */
async function mailNext(options: LinkMailerOptions, signal: AbortSignal): Promise<boolean> {
  const { orm, oneTimeLinks, writes, emailsQueued, warn } = options;
  let takenId = '';
  const mail = () =>
    orm.em.fork().transactional(async (em) => {
      const taken = await takeLinkRequest(em);
      if (taken === undefined) return false;
      takenId = taken.id;
      await queueLink(em, oneTimeLinks, taken);
      return true;
    });
  try {
    const wasDue = await writes.run(owner, mail, signal);
    if (wasDue) emailsQueued();
    return wasDue;
  } catch (error) {
    if (takenId === '') throw error;
    await putOffLinkRequest(orm.em.fork(), takenId);
    warn('An account email was not queued yet', error);
    return true;
  }
}

/** Deletes the request; the user may need no link any more, or have had enough. */
async function queueLink(
  em: Em,
  oneTimeLinks: LinkMailerOptions['oneTimeLinks'],
  { id, email, purpose, language, userId, emailVerified }: TakenLinkRequest,
): Promise<void> {
  await em.nativeDelete(LinkRequest, { id });
  if (purpose === 'verify-email' && emailVerified) return;
  // The lock on the user keeps concurrent transactions within the limit.
  const hourAgo = new Date(Date.now() - hourMs);
  const recent = await em.count(AccountToken, { user: userId, purpose, createdAt: { $gt: hourAgo } });
  if (recent >= linksPerHour) return;
  const { token, hash } = oneTimeLinks.createToken(purpose);
  const expiresAt = new Date(Date.now() + linkValidHours[purpose] * hourMs);
  em.create(AccountToken, { user: userId, purpose, tokenHash: hash, expiresAt });
  oneTimeLinks.queueEmail(em, { to: email, purpose, token, language });
}
