import { describe, expect, test } from 'vitest';
import {
  canSplice,
  faultText,
  type Graph,
  isWrong,
  openEnds,
  outlineOf,
  pathOf,
  type Step,
  shownFaults,
  type Transition,
} from './graph.ts';

const step = (id: string, type: Step['type'], config: Step['config'] = {}): Step => ({
  id,
  type,
  name: id,
  position: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  config,
  templateId: null,
});
const transition = (
  fromStepId: string,
  toStepId: string,
  branch: Transition['branch'] = null,
): Transition => ({
  id: `${fromStepId}>${toStepId}`,
  fromStepId,
  toStepId,
  branch,
});

const graph: Graph = {
  steps: [
    step('start', 'TRIGGER'),
    step('ask', 'CONDITION'),
    step('mail', 'SEND_EMAIL'),
    step('pause', 'DELAY'),
    step('lost', 'DELAY'),
    step('out', 'EXIT'),
  ],
  transitions: [
    transition('start', 'ask'),
    transition('ask', 'mail', 'yes'),
    transition('ask', 'pause', 'no'),
    transition('mail', 'out'),
    transition('pause', 'ask'),
  ],
};

describe('openEnds', () => {
  const ends = (one: Step, transitions: Transition[]) =>
    openEnds({ steps: [one], transitions }, one).map(({ branch }) => branch);

  test.each([
    ['a delay that nothing follows', step('a', 'DELAY'), [], [null]],
    ['an exit', step('a', 'EXIT'), [], []],
    ['a condition with one answer', step('a', 'CONDITION'), [transition('a', 'b', 'yes')], ['no']],
    ['a wait without a limit', step('a', 'WAIT_FOR_EVENT'), [], ['event']],
    ['a wait with a limit', step('a', 'WAIT_FOR_EVENT', { timeout: 60 }), [], ['event', 'timeout']],
    [
      'a wait whose outcomes share a transition',
      step('a', 'WAIT_FOR_EVENT', { timeout: 60 }),
      [transition('a', 'b')],
      [],
    ],
  ])('%s', (_, one, transitions, expected) => expect(ends(one, transitions)).toEqual(expected));
});

test('the outline lists every step once, branches as lists and loops as jumps', () => {
  const { items, loose, numberOf } = outlineOf(graph);
  expect(items.map((item) => item.kind === 'step' && item.step.id)).toEqual(['start', 'ask']);
  const [, ask] = items;
  const forks = ask?.kind === 'step' ? ask.forks : [];
  expect(
    forks.map(({ branch, items: behind }) => [
      branch,
      ...behind.map((item) =>
        item.kind === 'step' ? item.step.id : item.kind === 'jump' ? `to ${item.to.id}` : 'open',
      ),
    ]),
  ).toEqual([
    ['yes', 'mail', 'out'],
    ['no', 'pause', 'to ask'],
  ]);
  expect(loose.map((piece) => piece.map(({ kind }) => kind))).toEqual([['step', 'end']]);
  expect([...numberOf.keys()]).toEqual(['start', 'ask', 'mail', 'out', 'pause', 'lost']);
});

test('the outline includes an unreachable cycle', () => {
  const ring = {
    steps: [step('a', 'DELAY'), step('b', 'DELAY')],
    transitions: [transition('a', 'b'), transition('b', 'a')],
  };
  expect(outlineOf(ring).loose.map((piece) => piece.map(({ kind }) => kind))).toEqual([
    ['step', 'step', 'jump'],
  ]);
});

test('a step with two successors cannot be spliced out', () => {
  expect(canSplice(graph, 'ask')).toBe(false);
  expect(canSplice(graph, 'mail')).toBe(true);
  expect(canSplice(graph, 'lost')).toBe(true);
});

test('the path of a contact contains the trigger and the branch taken', () => {
  const run = (visit: number, stepId: string, branch: string | null = null) => ({
    visit,
    stepId,
    branch,
    type: null,
    name: null,
    output: null,
    error: null,
    startedAt: '',
    completedAt: null,
  });
  const path = pathOf(graph, [run(1, 'ask', 'no'), run(2, 'pause'), run(3, 'ask')]);
  expect([...path.steps].sort()).toEqual(['ask', 'pause', 'start']);
  expect([...path.transitions].sort()).toEqual(['ask>pause', 'pause>ask', 'start>ask']);
});

test('a new step shows "Not set up yet" instead of what its form and its branches lack', () => {
  const fault = (code: string, stepId: string | null, message: string) => ({ code, stepId, message });
  const steps = [step('new', 'CONDITION'), step('set', 'DELAY', { amount: 1 }), step('end', 'EXIT')];
  const faults = [
    fault('trigger_missing', null, 'The graph has no trigger'),
    fault('config_incomplete', 'new', 'A condition is required'),
    fault('branch_missing', 'new', 'The branch "yes" leads nowhere'),
    fault('config_incomplete', 'set', 'A unit is required'),
    fault('step_unreachable', 'end', 'No path leads to it'),
  ];
  const shown = shownFaults({ steps, faults, enabled: false });
  expect(shown.map(({ message }) => message)).toEqual([
    'The graph has no trigger',
    'Not set up yet',
    'A unit is required',
    'No path leads to it',
  ]);
  expect(shown.filter((one) => !isWrong(one)).map(({ stepId }) => stepId)).toEqual(['new']);
});

test('a trigger alone is reported until it is enabled', () => {
  const messages = (enabled: boolean) =>
    shownFaults({ steps: [step('start', 'TRIGGER')], faults: [], enabled }).map(({ message }) => message);
  expect(messages(false)).toEqual(['Nothing follows yet. Add a step']);
  expect(messages(true)).toEqual([]);
});

test.each([
  ['a: config.amount: An amount is required', 'An amount is required'],
  ['a: config: At most 250 texts', 'At most 250 texts'],
  ['a: the branch "yes" leads nowhere', 'The branch “Yes” leads nowhere'],
  ['a: the branch "timeout" leads nowhere', 'The branch “Timed out” leads nowhere'],
])('%s on its node', (message, expected) =>
  expect(faultText({ code: 'any', message, stepId: 'a' }, step('a', 'DELAY'))).toBe(expected),
);
