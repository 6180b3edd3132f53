import type { Locale } from '../../core/messages/messages.ts';
import { nilId } from '../../core/nil-id.ts';
import {
  createLinkToken,
  isGenuineToken,
  type LinkPurpose,
  type LinkSubject,
  readLinkToken,
} from '../../core/public-links.ts';
import { type SnoozeLength, snoozeEnd } from '../../core/snooze.ts';
import type { Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import {
  changeSubscription,
  type Subscriber,
  type SubscriptionChange,
} from '../../db/statements/contacts/change-subscription.ts';
import { findLinkSubject } from '../../db/statements/emails/link-subjects.ts';
import { addressSubject } from '../access/address-subject.ts';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { ProjectPlaces } from './project-places.ts';

export interface PageProject {
  name: string;
  brandColor: string | null;
  logoUrl: string | null;
  language: Locale;
}

export type OpenedLink =
  | { state: 'open'; project: PageProject; subject: LinkSubject; subscriber: Subscriber }
  | { state: 'gone'; project: PageProject }
  /** Not one of our links, or one for another purpose; callers can't tell which. */
  | { state: 'invalid' }
  | { state: 'limited'; retryAfterSeconds: number };

export type GenuineLink = Extract<OpenedLink, { state: 'open' }>;
export type RefusedLink = Exclude<OpenedLink, GenuineLink>;

export type LinkAction =
  | { to: 'subscribed' }
  | { to: 'unsubscribed' }
  | { to: 'snoozed'; length: SnoozeLength };

export interface PublicLinksOptions {
  orm: Orm;
  key: Buffer;
  limiter: RateLimiter | null;
  writesByLink: ProjectPlaces;
  committed: () => void;
}

export function createPublicLinksService({ orm, key, limiter, writesByLink, committed }: PublicLinksOptions) {
  async function refuse(clientAddress: string): Promise<Exclude<RefusedLink, { state: 'gone' }>> {
    const budget = await limiter?.take(`links ${addressSubject(clientAddress)}`);
    if (budget === undefined || budget.allowed) return { state: 'invalid' };
    return { state: 'limited', retryAfterSeconds: budget.resetSeconds };
  }

  async function read(purpose: LinkPurpose, token: string, clientAddress: string) {
    const named = readLinkToken(token);
    if (named === undefined) return refuse(clientAddress);
    const found = await findLinkSubject(orm.em.fork(), named.contactId, named.emailId);
    if (found === undefined) return refuse(clientAddress);
    const subject = { projectId: found.projectId, ...named };
    if (!isGenuineToken(key, purpose, subject, token)) return refuse(clientAddress);
    const { subscriber, isDisabled, projectName: name, brandColor, logoUrl, language } = found;
    const project = { name, brandColor, logoUrl, language };
    return { state: 'genuine' as const, project, subject, subscriber, isDisabled };
  }

  return {
    async open(
      purpose: Exclude<LinkPurpose, 'view'>,
      token: string,
      clientAddress: string,
    ): Promise<OpenedLink> {
      const link = await read(purpose, token, clientAddress);
      if (link.state !== 'genuine') return link;
      const { project, subject, subscriber } = link;
      return subscriber === undefined
        ? { state: 'gone', project }
        : { state: 'open', project, subject, subscriber };
    },

    async openEmail(
      token: string,
      clientAddress: string,
    ): Promise<Omit<GenuineLink, 'subscriber'> | RefusedLink> {
      const link = await read('view', token, clientAddress);
      if (link.state !== 'genuine') return link;
      const { project, subject, subscriber, isDisabled } = link;
      const isTest = subject.contactId === nilId;
      // Anybody can write an email, so a project that was stopped shows none. Readers can still opt out.
      if (isDisabled || (subscriber === undefined && !isTest)) return { state: 'gone', project };
      return { state: 'open', project, subject };
    },

    /** @throws DomainError `SERVICE_UNAVAILABLE` when too many of the project wait, or its turn does not come in time */
    async act({ subject }: GenuineLink, action: LinkAction) {
      const occurredAt = new Date();
      const change: SubscriptionChange =
        action.to === 'snoozed' ? { to: 'snoozed', until: snoozeEnd(occurredAt, action.length) } : action;
      const apply = () =>
        retryTransaction(() => changeSubscription(orm.em.fork(), { ...subject, change, occurredAt }));
      // Of another owner than the project's other writes: while those are slow, they share half of the places.
      const after = await writesByLink.run(`${subject.projectId} by link`, apply);
      if (after?.isChanged) committed();
      return after;
    },

    tokenFor: (purpose: LinkPurpose, link: GenuineLink) => createLinkToken(key, purpose, link.subject),
  };
}
