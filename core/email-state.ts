export const emailStatuses = [
  'QUEUED',
  'SENDING',
  'UNKNOWN',
  'SENT',
  'SUPPRESSED',
  'CANCELLED',
  'FAILED',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
] as const;

export type EmailStatus = (typeof emailStatuses)[number];

/**
 * The order of statuses: an event moves an email only to a status of higher rank, so that late, repeated and
 * disordered notifications end in the same place. SQL compares the same numbers. A delivery outranks FAILED
 * and CANCELLED, because the provider's word on what happened beats ours on what we meant to do.
 */
export const emailStatusRank: Readonly<Record<EmailStatus, number>> = {
  QUEUED: 0,
  SENDING: 10,
  UNKNOWN: 20,
  SENT: 30,
  SUPPRESSED: 40,
  CANCELLED: 50,
  FAILED: 60,
  DELIVERED: 70,
  OPENED: 80,
  CLICKED: 90,
  BOUNCED: 100,
  COMPLAINED: 110,
};

/**
 * Moves that the service itself makes, each by compare-and-set: claim, hand-over, refusal, cancellation, and
 * back to the queue after a throttled call. UNKNOWN may be tried once more (transactional email), or goes back to the
 * queue (campaigns) when the provider's events prove that it was not taken.
 */
export const ownTransitions: Readonly<Record<EmailStatus, readonly EmailStatus[]>> = {
  QUEUED: ['SENDING', 'SUPPRESSED', 'CANCELLED', 'FAILED'],
  SENDING: ['SENT', 'UNKNOWN', 'FAILED', 'SUPPRESSED', 'QUEUED', 'CANCELLED'],
  UNKNOWN: ['SENDING', 'SENT', 'FAILED', 'QUEUED'],
  SENT: [],
  SUPPRESSED: [],
  CANCELLED: [],
  FAILED: [],
  DELIVERED: [],
  OPENED: [],
  CLICKED: [],
  BOUNCED: [],
  COMPLAINED: [],
};

export type ProviderEvent =
  | {
      type:
        | 'Send'
        | 'Delivery'
        | 'DeliveryDelay'
        | 'Complaint'
        | 'Open'
        | 'Click'
        | 'Reject'
        | 'RenderingFailure';
      at: Date;
    }
  | { type: 'Bounce'; bounceType: 'Permanent' | 'Transient' | 'Undetermined'; at: Date };

export const emailMilestones = [
  'sentAt',
  'deliveredAt',
  'openedAt',
  'clickedAt',
  'bouncedAt',
  'complainedAt',
  'failedAt',
] as const;
export type EmailMilestone = (typeof emailMilestones)[number];

export type EmailState = { status: EmailStatus } & Record<EmailMilestone, Date | null>;

export interface EmailTransition {
  state: EmailState;
  /** Milestones reached for the first time: each adds one to the campaign's counter of that kind. */
  reached: EmailMilestone[];
  /** Why the contact is to be unsubscribed and suppressed; idempotent, so it is given for repeats too. */
  suppress: 'bounce' | 'complaint' | undefined;
}

interface Effect {
  status: EmailStatus;
  milestones: readonly EmailMilestone[];
}

/**
 * What an event does: the status it leads to and the milestones it proves. A click proves an open; whatever
 * happens at the recipient proves that the email was sent. Undefined: the event changes no state (a delay, a
 * bounce that is not permanent).
 */
export function effectOf(event: ProviderEvent): Effect | undefined {
  switch (event.type) {
    case 'Send':
      return { status: 'SENT', milestones: ['sentAt'] };
    case 'Delivery':
      return { status: 'DELIVERED', milestones: ['sentAt', 'deliveredAt'] };
    case 'Open':
      return { status: 'OPENED', milestones: ['sentAt', 'openedAt'] };
    case 'Click':
      return { status: 'CLICKED', milestones: ['sentAt', 'openedAt', 'clickedAt'] };
    case 'Complaint':
      return { status: 'COMPLAINED', milestones: ['sentAt', 'complainedAt'] };
    case 'Bounce':
      return event.bounceType === 'Permanent'
        ? { status: 'BOUNCED', milestones: ['sentAt', 'bouncedAt'] }
        : undefined;
    case 'Reject':
    case 'RenderingFailure':
      return { status: 'FAILED', milestones: ['failedAt'] };
    case 'DeliveryDelay':
      return undefined;
  }
}

/**
 * Applies a provider event to an email. Any order and any repetition of the same events ends in the same
 * state: the status is the highest by rank, a milestone is the earliest time that proves it.
 */
export function applyProviderEvent(state: EmailState, event: ProviderEvent): EmailTransition {
  const effect = effectOf(event);
  if (!effect) return { state, reached: [], suppress: undefined };
  const next = { ...state, status: higherStatus(state.status, effect.status) };
  const reached: EmailMilestone[] = [];
  for (const milestone of effect.milestones) {
    const known = state[milestone];
    if (known === null) reached.push(milestone);
    if (known === null || event.at < known) next[milestone] = event.at;
  }
  return { state: next, reached, suppress: suppressionBy(event) };
}

/** The reason for which an event suppresses the contact (API contract, counter rule 5). */
export function suppressionBy(event: ProviderEvent): 'bounce' | 'complaint' | undefined {
  if (event.type === 'Complaint') return 'complaint';
  return event.type === 'Bounce' && event.bounceType === 'Permanent' ? 'bounce' : undefined;
}

export function higherStatus(one: EmailStatus, other: EmailStatus): EmailStatus {
  return emailStatusRank[other] > emailStatusRank[one] ? other : one;
}

/** Whether the service itself may move an email from one status to another. */
export function canMoveEmail(from: EmailStatus, to: EmailStatus): boolean {
  return ownTransitions[from].includes(to);
}
