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
/** Links between two drops: requests for unknown addresses must not pile up behind them. */
const mostMailed = 20;
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
  const outage = warnOnce(warn, 'Account emails wait to be queued');
  const failure = warnOnce(warn, 'An account email was not queued yet');
  let running: Promise<void> | undefined;

  /** @returns whether more may be due */
  async function runRound(): Promise<boolean> {
    const dropped = await dropRequests(options, signal);
    if (!oneTimeLinks.isConfigured) return dropped === mostDropped;
    let mailed = 0;
    while (mailed < mostMailed && !signal.aborted && (await mailNext(options, failure, signal))) mailed += 1;
    return dropped === mostDropped || mailed === mostMailed;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      alarm.silence();
      try {
        while (!signal.aborted && (await runRound()));
        outage.end();
      } catch (error) {
        if (!signal.aborted) outage.warn(error);
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

/** Warns of the first of several failures in a row. */
function warnOnce(warn: LinkMailerOptions['warn'], message: string) {
  let hasWarned = false;
  return {
    warn(error: unknown): void {
      if (!hasWarned) warn(message, error);
      hasWarned = true;
    },
    end(): void {
      hasWarned = false;
    },
  };
}

/** @returns how many were dropped, at most `mostDropped` */
async function dropRequests({ orm, writes, warn }: LinkMailerOptions, signal: AbortSignal): Promise<number> {
  const dropped = await writes.run(owner, () => dropLinkRequests(orm.em.fork(), mostDropped), signal);
  for (const { lateUserId, purpose } of dropped) {
    if (lateUserId === null) continue;
    const reason = new Error(`Too late for the ${purpose} link of user ${lateUserId}`);
    warn('An account email was not queued', reason);
  }
  return dropped.length;
}

/** @returns false when none is due */
async function mailNext(
  options: LinkMailerOptions,
  failure: ReturnType<typeof warnOnce>,
  signal: AbortSignal,
): Promise<boolean> {
  const { orm, oneTimeLinks, writes, emailsQueued } = options;
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
    if (!wasDue) return false;
    failure.end();
    emailsQueued();
    return true;
  } catch (error) {
    if (takenId === '') throw error;
    await putOffLinkRequest(orm.em.fork(), takenId);
    failure.warn(error);
    return true;
  }
}

/** Deletes the request; the user may need no link any more, or have had as many as an hour allows: then all requests go. */
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
  if (recent >= linksPerHour) {
    await em.nativeDelete(LinkRequest, { email, purpose });
    return;
  }
  const { token, hash } = oneTimeLinks.createToken(purpose);
  const expiresAt = new Date(Date.now() + linkValidHours[purpose] * hourMs);
  em.create(AccountToken, { user: userId, purpose, tokenHash: hash, expiresAt });
  oneTimeLinks.queueEmail(em, { to: email, purpose, token, language });
}
