import { newId } from '../../core/new-id.ts';
import {
  createLinkToken,
  isGenuineToken,
  type LinkPurpose,
  type LinkSubject,
  readLinkToken,
} from '../../core/public-links.ts';
import { type SnoozeLength, snoozeEnd } from '../../core/snooze.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import {
  changeSubscription,
  type Subscriber,
  type SubscriptionChange,
} from '../../db/repositories/contacts/change-subscription.ts';
import { findLinkSubject } from '../../db/repositories/emails/link-subjects.ts';
import { addressSubject } from '../edge/address-subject.ts';
import type { RateLimiter } from '../edge/rate-limiter.ts';

/** The project as its recipients see it. */
export interface PageProject {
  name: string;
  /** `#rrggbb`; null for our own. */
  brandColor: string | null;
}

export type OpenedLink =
  | { state: 'open'; project: PageProject; subject: LinkSubject; subscriber: Subscriber }
  /** Genuine, but the contact was erased meanwhile. */
  | { state: 'gone'; project: PageProject }
  /** Not one of our links, or one for another purpose: the caller can't tell which. */
  | { state: 'invalid' }
  /** One guess too many from this address. */
  | { state: 'limited'; retryAfterSeconds: number };

export type GenuineLink = Extract<OpenedLink, { state: 'open' }>;

export type LinkAction =
  | { to: 'subscribed' }
  | { to: 'unsubscribed' }
  | { to: 'snoozed'; length: SnoozeLength };

/** What the holder of a link in an email may see and do. */
export interface PublicLinksService {
  /** Changes nothing. Only links that are not genuine count against the limit of the address. */
  open(purpose: LinkPurpose, token: string, clientAddress: string): Promise<OpenedLink>;
  /** Acts for the holder; undefined when the contact was erased meanwhile. */
  act(link: GenuineLink, action: LinkAction): Promise<(Subscriber & { isChanged: boolean }) | undefined>;
  /** The token of another link of the same email. */
  tokenFor(purpose: LinkPurpose, link: GenuineLink): string;
}

export interface PublicLinksOptions {
  orm: Orm;
  /** Derived for the purpose `public-link`. */
  key: Buffer;
  /** Bounds guesses; null where the limit is off. */
  limiter: RateLimiter | null;
  /** Called after each change: the journal has a row, and Temporal may have a command. */
  committed: () => void;
}

export function createPublicLinksService({
  orm,
  key,
  limiter,
  committed,
}: PublicLinksOptions): PublicLinksService {
  async function refuse(clientAddress: string): Promise<OpenedLink> {
    const budget = await limiter?.take(`links ${addressSubject(clientAddress)}`);
    if (budget === undefined || budget.allowed) return { state: 'invalid' };
    return { state: 'limited', retryAfterSeconds: budget.resetSeconds };
  }

  return {
    async open(purpose, token, clientAddress) {
      const named = readLinkToken(token);
      if (named === undefined) return refuse(clientAddress);
      const found = await findLinkSubject(orm.em.fork(), named.contactId, named.emailId);
      if (found === undefined) return refuse(clientAddress);
      const subject = { projectId: found.projectId, ...named };
      if (!isGenuineToken(key, purpose, subject, token)) return refuse(clientAddress);
      const project = { name: found.projectName, brandColor: found.brandColor };
      const { subscriber } = found;
      return subscriber === undefined
        ? { state: 'gone', project }
        : { state: 'open', project, subject, subscriber };
    },

    async act({ subject }, action) {
      const occurredAt = new Date();
      const change: SubscriptionChange =
        action.to === 'snoozed' ? { to: 'snoozed', until: snoozeEnd(occurredAt, action.length) } : action;
      const ids = { flipId: newId(), activityId: newId(), outboxId: newId() };
      const after = await retrySerialization(() =>
        changeSubscription(orm.em.fork(), { ...subject, change, ...ids, occurredAt }),
      );
      if (after?.isChanged) committed();
      return after;
    },

    tokenFor: (purpose, link) => createLinkToken(key, purpose, link.subject),
  };
}
