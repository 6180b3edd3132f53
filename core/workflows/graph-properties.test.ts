import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spliced } from './edit-graph.ts';
import { branches, type DraftGraph, type DraftStep, type Transition } from './graph.ts';
import { findGraphFaults, type GraphFault } from './graph-faults.ts';
import { stepTypes } from './step-config.ts';

const complete: Record<DraftStep['type'], Record<string, unknown>> = {
  TRIGGER: {},
  SEND_EMAIL: { templateId: '0190a000-0000-7000-8000-00000000000a' },
  DELAY: { amount: 1, unit: 'days' },
  WAIT_FOR_EVENT: { eventName: 'order', timeout: 60 },
  CONDITION: { field: 'subscribed', operator: 'equals', value: true },
  WEBHOOK: { url: 'https://example.com' },
  UPDATE_CONTACT: { subscribed: true },
  EXIT: {},
};

const steps: fc.Arbitrary<DraftStep[]> = fc
  .array(
    fc.record({ type: fc.constantFrom(...stepTypes), isComplete: fc.integer({ max: 9 }).map((n) => n > 0) }),
    {
      maxLength: 8,
    },
  )
  .map((drafts) =>
    [{ type: 'TRIGGER' as const, isComplete: true }, ...drafts].map(({ type, isComplete }, index) => ({
      id: `s${index}`,
      type,
      name: `Step ${index}`,
      config: isComplete ? complete[type] : {},
    })),
  );

const graphs: fc.Arbitrary<DraftGraph> = steps.chain((drafts) => {
  const id = fc.constantFrom(...drafts.map((step) => step.id));
  const way = fc.record({ fromStepId: id, toStepId: id, branch: fc.option(fc.constantFrom(...branches)) });
  return fc.array(way, { maxLength: 14 }).map((ways) => ({
    eventName: 'signup',
    steps: drafts,
    transitions: ways.map((one, index) => ({ id: `t${index}`, ...one })),
  }));
});

/** Every step at which a walk of at most as many transitions as there are steps can end. */
function walkFrom(graph: DraftGraph, from: string, through: (id: string) => boolean): Set<string> {
  let ends = [from];
  const seen = new Set<string>();
  for (const _ of graph.steps) {
    ends = graph.transitions
      .filter((way) => ends.includes(way.fromStepId) && through(way.toStepId))
      .map(({ toStepId }) => toStepId);
    for (const id of ends) seen.add(id);
  }
  return seen;
}

const allowed: Partial<Record<DraftStep['type'], Transition['branch'][]>> = {
  CONDITION: ['yes', 'no'],
  WAIT_FOR_EVENT: ['event', 'timeout', null],
  EXIT: [null, ...branches],
};

/** The faults by their definitions, one step after the other, whatever it costs. */
function naiveFaults(graph: DraftGraph): string[] {
  const typeOf = (id: string) => graph.steps.find((step) => step.id === id)?.type;
  const pauses = (id: string) => typeOf(id) === 'DELAY' || typeOf(id) === 'WAIT_FOR_EVENT';
  return graph.steps.flatMap(({ id, type, config }, index) => {
    const out = graph.transitions.filter((way) => way.fromStepId === id);
    const has = (branch: Transition['branch']) => out.filter((way) => way.branch === branch).length;
    const isEmpty = Object.keys(config).length === 0;
    const isTrigger = type === 'TRIGGER';
    const waitsFully = has(null) > 0 || (has('event') > 0 && (has('timeout') > 0 || isEmpty));
    const isFaulty: Partial<Record<GraphFault['code'], boolean>> = {
      trigger_repeated: isTrigger && index > 0,
      step_unreachable: !isTrigger && !walkFrom(graph, 's0', () => true).has(id),
      config_incomplete: isEmpty && !isTrigger && type !== 'EXIT',
      transition_out_of_exit: type === 'EXIT' && out.length > 0,
      branch_unknown: out.some((way) => !(allowed[type] ?? [null]).includes(way.branch)),
      branch_repeated: [null, ...branches].some((branch) => has(branch) > 1),
      branch_missing:
        (type === 'CONDITION' && !(has('yes') && has('no'))) || (type === 'WAIT_FOR_EVENT' && !waitsFully),
      transition_into_trigger: out.some((way) => typeOf(way.toStepId) === 'TRIGGER'),
      loop_without_pause: !pauses(id) && walkFrom(graph, id, (next) => !pauses(next)).has(id),
    };
    return Object.entries(isFaulty).flatMap(([code, holds]) => (holds ? [`${code} ${id}`] : []));
  });
}

describe('any graph', () => {
  it('has exactly the faults that their definitions imply', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const found = findGraphFaults(graph).map(({ code, stepId }) => `${code} ${stepId}`);
        expect([...new Set(found)].sort()).toEqual(naiveFaults(graph).sort());
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps its other transitions when a step is spliced out of a line', () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 8 }), (graph, index) => {
        const gone = graph.steps[index % graph.steps.length]?.id ?? '';
        const joined = spliced(graph.transitions, gone);
        const out = graph.transitions.filter((way) => way.fromStepId === gone && way.toStepId !== gone);
        const targets = [...new Set(out.map(({ toStepId }) => toStepId))];

        const into = graph.transitions.filter((way) => way.toStepId === gone && way.fromStepId !== gone);
        const expected = targets.flatMap((toStepId) =>
          into.map(({ fromStepId, branch }) => ({ fromStepId, toStepId, branch })),
        );
        expect(joined).toEqual(targets.length > 1 ? undefined : expected);
      }),
    );
  });
});
