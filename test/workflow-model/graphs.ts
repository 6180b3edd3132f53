import fc from 'fast-check';

export type Question =
  | { ask: 'data' | 'event' | 'context'; value: number }
  | { ask: 'subscribed'; value: boolean }
  | { ask: 'paid' }
  | { ask: 'paidMore'; value: number }
  | { ask: 'answered'; step: number };

export type ModelStep =
  | { type: 'SEND_EMAIL'; template: number; to: string | null }
  | { type: 'DELAY' }
  | { type: 'WAIT_FOR_EVENT'; eventName: string; timeout: number | null }
  | { type: 'CONDITION'; logic: 'AND' | 'OR'; questions: Question[] }
  | { type: 'WEBHOOK' }
  | { type: 'UPDATE_CONTACT'; a: number | null | undefined; subscribed: boolean | undefined }
  | { type: 'EXIT'; reason: string | null };

/** A step and its successors: by branch, or `any` without one. A missing key ends the path. */
export type ModelNode = ModelStep & {
  next: Partial<Record<'any' | 'yes' | 'no' | 'event' | 'timeout', number>>;
};

/** The first node follows the trigger. */
export type ModelGraph = ModelNode[];

export const eventNames = ['joined', 'paid', 'contact.unsubscribed'] as const;

const small = fc.integer({ min: 0, max: 2 });

const question = fc.oneof<fc.Arbitrary<Question>[]>(
  fc.record({ ask: fc.constantFrom('data', 'event', 'context'), value: small }),
  fc.record({ ask: fc.constant('subscribed'), value: fc.boolean() }),
  fc.constant({ ask: 'paid' }),
  fc.record({ ask: fc.constant('paidMore'), value: small }),
  fc.record({ ask: fc.constant('answered'), step: fc.integer({ min: 0, max: 6 }) }),
);

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('SEND_EMAIL' as const),
      template: fc.integer({ min: 0, max: 1 }),
      to: fc.option(fc.constant('sales@example.org')),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'DELAY' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('WAIT_FOR_EVENT' as const),
      eventName: fc.constantFrom(...eventNames),
      timeout: fc.option(fc.constant(3_600)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('CONDITION' as const),
      logic: fc.constantFrom('AND' as const, 'OR' as const),
      questions: fc.array(question, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'WEBHOOK' as const }) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        type: fc.constant('UPDATE_CONTACT' as const),
        a: fc.option(fc.option(small), { nil: undefined }),
        subscribed: fc.option(fc.boolean(), { nil: undefined }),
      })
      .filter(({ a, subscribed }) => a !== undefined || subscribed !== undefined),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('EXIT' as const), reason: fc.option(fc.constant('done')) }),
  },
);

const pauses = ({ type }: ModelStep) => type === 'DELAY' || type === 'WAIT_FOR_EVENT';

/**
 * Valid graphs: every type of step, both branches of each, loops with a step that pauses, paths that end without an
 * exit.
 */
export const graphs: fc.Arbitrary<ModelGraph> = fc
  .array(step, { maxLength: 6 })
  .chain((drawn) => {
    const steps: ModelStep[] = [...drawn, { type: 'EXIT', reason: 'end' }];
    const picks = fc.array(fc.nat({ max: 999 }), {
      minLength: steps.length * 2,
      maxLength: steps.length * 2,
    });
    return fc
      .tuple(picks, fc.array(fc.nat({ max: 5 }), { minLength: steps.length, maxLength: steps.length }))
      .map(([targets, shapes]) =>
        steps.map((one, index): ModelNode => {
          // A loop needs a backward edge, and each of those starts or ends at a step that pauses.
          const allowed = steps.flatMap((to, at) => (at > index || pauses(one) || pauses(to) ? [at] : []));
          const to = (nth: number) => allowed[(targets[index * 2 + nth] ?? 0) % allowed.length] ?? 0;
          const shape = shapes[index] ?? 0;
          switch (one.type) {
            case 'EXIT':
              return { ...one, next: {} };
            case 'CONDITION':
              return { ...one, next: { yes: to(0), no: to(1) } };
            case 'WAIT_FOR_EVENT':
              if (shape < 3) return { ...one, next: { any: to(0) } };
              return { ...one, next: { event: to(0), ...(one.timeout !== null && { timeout: to(1) }) } };
            default:
              return { ...one, next: shape === 0 ? {} : { any: to(0) } };
          }
        }),
      );
  })
  .map(reachable);

function reachable(graph: ModelGraph): ModelGraph {
  const reached = new Set([0]);
  // A set's iteration includes elements added meanwhile.
  for (const at of reached) for (const to of Object.values(graph[at]?.next ?? {})) reached.add(to);
  const kept = [...reached].toSorted((a, b) => a - b);
  return kept.flatMap((at) => {
    const node = graph[at];
    if (node === undefined) return [];
    const next = Object.fromEntries(
      Object.entries(node.next).map(([branch, to]) => [branch, kept.indexOf(to)]),
    );
    return [{ ...node, next }];
  });
}
