import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EmailStatus, emailStatuses } from './email-state.ts';
import {
  applyProviderEvent,
  canMoveEmail,
  type EmailState,
  emailMilestones,
  ownTransitions,
  type ProviderEvent,
  rankOf,
} from './testing/email-model.ts';

const at = new Date('2024-05-01T10:00:00.000Z');

function email(status: EmailStatus): EmailState {
  return {
    status,
    sentAt: null,
    deliveredAt: null,
    openedAt: null,
    clickedAt: null,
    bouncedAt: null,
    complainedAt: null,
    failedAt: null,
  };
}

function event(type: ProviderEvent['type'] | 'SoftBounce' | 'UndeterminedBounce', when = at): ProviderEvent {
  if (type === 'Bounce') return { type, bounceType: 'Permanent', at: when };
  if (type === 'SoftBounce') return { type: 'Bounce', bounceType: 'Transient', at: when };
  if (type === 'UndeterminedBounce') return { type: 'Bounce', bounceType: 'Undetermined', at: when };
  return { type, at: when };
}

const eventKinds = [
  'Send',
  'Delivery',
  'DeliveryDelay',
  'Bounce',
  'SoftBounce',
  'UndeterminedBounce',
  'Complaint',
  'Open',
  'Click',
  'Reject',
  'RenderingFailure',
] as const;

describe('provider events', () => {
  it.each([
    ['QUEUED', 'Send', 'SENT'],
    ['SENDING', 'Send', 'SENT'],
    ['UNKNOWN', 'Send', 'SENT'],
    ['DELIVERED', 'Send', 'DELIVERED'],
    ['FAILED', 'Send', 'FAILED'],
    ['CANCELLED', 'Send', 'CANCELLED'],
    ['SENT', 'Delivery', 'DELIVERED'],
    ['UNKNOWN', 'Delivery', 'DELIVERED'],
    ['FAILED', 'Delivery', 'DELIVERED'],
    ['OPENED', 'Delivery', 'OPENED'],
    ['SENT', 'Open', 'OPENED'],
    ['CLICKED', 'Open', 'CLICKED'],
    ['SENT', 'Click', 'CLICKED'],
    ['CLICKED', 'Bounce', 'BOUNCED'],
    ['BOUNCED', 'Delivery', 'BOUNCED'],
    ['BOUNCED', 'Complaint', 'COMPLAINED'],
    ['COMPLAINED', 'Bounce', 'COMPLAINED'],
    ['SENT', 'SoftBounce', 'SENT'],
    ['SENDING', 'SoftBounce', 'SENDING'],
    ['SENT', 'UndeterminedBounce', 'SENT'],
    ['SENT', 'DeliveryDelay', 'SENT'],
    ['SENT', 'Reject', 'FAILED'],
    ['SENDING', 'RenderingFailure', 'FAILED'],
    ['DELIVERED', 'Reject', 'DELIVERED'],
  ] as const)('%s + %s = %s', (from, type, to) => {
    expect(applyProviderEvent(email(from), event(type)).state.status).toBe(to);
  });

  it.each([
    ['Send', ['sentAt']],
    ['Delivery', ['sentAt', 'deliveredAt']],
    ['Open', ['sentAt', 'openedAt']],
    ['Click', ['sentAt', 'openedAt', 'clickedAt']],
    ['Bounce', ['sentAt', 'bouncedAt']],
    ['Complaint', ['sentAt', 'complainedAt']],
    ['Reject', ['failedAt']],
    ['SoftBounce', []],
    ['DeliveryDelay', []],
  ] as const)('%s reaches %j, once', (type, milestones) => {
    const first = applyProviderEvent(email('SENDING'), event(type));
    expect(first.reached).toEqual(milestones);
    for (const milestone of milestones) expect(first.state[milestone]).toEqual(at);
    const repeated = applyProviderEvent(first.state, event(type));
    expect(repeated.reached).toEqual([]);
    expect(repeated.state).toEqual(first.state);
  });

  it('suppresses the contact on a hard bounce and a complaint only', () => {
    const suppressing = eventKinds.filter((kind) => applyProviderEvent(email('SENT'), event(kind)).suppress);
    expect(suppressing).toEqual(['Bounce', 'Complaint']);
    expect(applyProviderEvent(email('SENT'), event('Bounce')).suppress).toBe('bounce');
    expect(applyProviderEvent(email('SENT'), event('Complaint')).suppress).toBe('complaint');
  });

  const events = fc.array(
    fc
      .tuple(fc.constantFrom(...eventKinds), fc.integer({ min: 0, max: 5 }))
      .map(([kind, minute]) => event(kind, new Date(at.getTime() + minute * 60_000))),
    { maxLength: 8 },
  );

  function replay(state: EmailState, sequence: readonly ProviderEvent[]) {
    const reached: string[] = [];
    let current = state;
    for (const item of sequence) {
      const transition = applyProviderEvent(current, item);
      expect(rankOf(transition.state.status)).toBeGreaterThanOrEqual(rankOf(current.status));
      reached.push(...transition.reached);
      current = transition.state;
    }
    return { state: current, reached: reached.toSorted() };
  }

  it('ends in one state for every order and repetition of the same events', () => {
    const disordered = events.chain((sequence) =>
      fc.tuple(
        fc.constant(sequence),
        fc.shuffledSubarray(sequence, { minLength: sequence.length }),
        fc.array(fc.constantFrom(...(sequence.length > 0 ? sequence : [event('DeliveryDelay')])), {
          maxLength: 6,
        }),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...emailStatuses), disordered, (status, [sequence, shuffled, repeats]) => {
        const straight = replay(email(status), sequence);
        expect(replay(email(status), [...shuffled, ...repeats])).toEqual(straight);
        expect(new Set(straight.reached).size).toBe(straight.reached.length);
        expect(straight.reached).toEqual(
          emailMilestones.filter((m) => straight.state[m] !== null).toSorted(),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('transitions by the service', () => {
  it('claims only what is queued or unknown, and never touches what was handed over', () => {
    expect(emailStatuses.filter((status) => canMoveEmail(status, 'SENDING'))).toEqual(['QUEUED', 'UNKNOWN']);
    expect(emailStatuses.filter((status) => canMoveEmail(status, 'CANCELLED'))).toEqual([
      'QUEUED',
      'SENDING',
    ]);
    for (const status of emailStatuses) {
      if (rankOf(status) >= rankOf('SENT')) expect(ownTransitions[status]).toEqual([]);
    }
  });
});
