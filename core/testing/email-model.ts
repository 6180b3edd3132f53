import { type EmailStatus, emailStatuses } from '../email-state.ts';

/**
 * Transitions that the service itself makes, each by compare-and-set: claim, hand-over, refusal, cancellation, and back
 * to the queue after a throttled call. UNKNOWN may be retried once (transactional email), or returns to the queue
 * (campaigns) when the provider's events prove that the email was not accepted.
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
  /** Milestones reached for the first time; each increments the campaign's counter of that kind. */
  reached: EmailMilestone[];
  /** Why to unsubscribe and suppress the contact; idempotent, so also set for repeats. */
  suppress: 'bounce' | 'complaint' | undefined;
}

interface Effect {
  status: EmailStatus;
  milestones: readonly EmailMilestone[];
}

/**
 * Status and milestones that an event proves. A click proves an open; any event at the recipient proves the
 * send. Undefined when the event changes no state (a delay, a non-permanent bounce).
 */
function effectOf(event: ProviderEvent): Effect | undefined {
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
 * Applies a provider event. Any order and repetition of the same events ends in the same state: the highest
 * status by rank, and for each milestone the earliest time that proves it.
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

function suppressionBy(event: ProviderEvent): 'bounce' | 'complaint' | undefined {
  if (event.type === 'Complaint') return 'complaint';
  return event.type === 'Bounce' && event.bounceType === 'Permanent' ? 'bounce' : undefined;
}

function higherStatus(one: EmailStatus, other: EmailStatus): EmailStatus {
  return rankOf(other) > rankOf(one) ? other : one;
}

export const rankOf = (status: EmailStatus): number => emailStatuses.indexOf(status);

export function canMoveEmail(from: EmailStatus, to: EmailStatus): boolean {
  return ownTransitions[from].includes(to);
}
