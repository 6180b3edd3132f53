import fc from 'fast-check';
import { eventNames } from './graphs.ts';

/**
 * Outcome of one attempt of a webhook. `killed after` and `killed before`: the worker dies after or before
 * the call.
 */
export const outcomes = [
  'ok',
  'none',
  'busy',
  'reset',
  'unreachable',
  'killed after',
  'killed before',
] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * One action of a test. Contacts 0 and 1 belong to the project; 2 has the address of 0 in another project.
 */
export type Action =
  | {
      kind: 'track';
      who: number;
      name: (typeof eventNames)[number];
      k: number;
      a: number | undefined;
      subscribed: boolean | undefined;
      /** Clock skew of the sender, or delay in transit. */
      skewMs: number;
    }
  /** Every execution takes `times` turns; with `twice`, the result of each step is lost once. */
  | { kind: 'look'; times: number; twice: boolean }
  /** Ends a pause. */
  | { kind: 'fire'; index: number }
  | { kind: 'cancel'; index: number }
  | { kind: 'start'; who: number }
  | { kind: 'edit' }
  | { kind: 'toggle' };

const small = fc.integer({ min: 0, max: 2 });

export const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('track' as const),
        who: fc.constantFrom(0, 0, 0, 1, 2),
        name: fc.constantFrom(...eventNames.filter((name) => name !== 'contact.unsubscribed')),
        k: small,
        a: fc.option(small, { nil: undefined, freq: 2 }),
        subscribed: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
        skewMs: fc.constantFrom(0, -60_000, 60_000),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('look' as const),
        times: fc.integer({ min: 1, max: 8 }),
        twice: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fire' as const), index: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), index: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const), who: fc.nat({ max: 1 }) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'edit' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'toggle' as const }) },
  ),
  { minLength: 4, maxLength: 24, size: 'max' },
);
