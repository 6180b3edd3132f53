import { describe, expect, it } from 'vitest';
import { type DraftGraph, nextStep, parseGraph, type Transition, triggerOf } from './graph.ts';
import { findGraphFaults } from './graph-faults.ts';

const template = '0190a000-0000-7000-8000-00000000000a';
const step = (id: string, type: string, config: object = {}) => ({ id, type, name: id, config });
const way = (fromStepId: string, toStepId: string, branch: Transition['branch'] = null): Transition => ({
  id: `${fromStepId}-${toStepId}`,
  fromStepId,
  toStepId,
  branch,
});
const graphOf = (steps: object[], transitions: Transition[]) =>
  // as: the steps of the tests are written by hand, in any type.
  ({ eventName: 'signup', steps: [step('start', 'TRIGGER'), ...steps], transitions }) as DraftGraph;

const mail = step('mail', 'SEND_EMAIL', { templateId: template });
const day = step('day', 'DELAY', { amount: 1, unit: 'days' });
const paid = step('paid', 'CONDITION', { field: 'data.plan', operator: 'equals', value: 'pro' });
const bye = step('bye', 'EXIT');

const faultsOf = (graph: DraftGraph) => findGraphFaults(graph).map(({ code, stepId }) => [code, stepId]);

describe('a graph', () => {
  it.each<[string, DraftGraph]>([
    ['a trigger alone', graphOf([], [])],
    ['a path that ends anywhere', graphOf([day], [way('start', 'day')])],
    [
      'a condition with both branches',
      graphOf(
        [paid, mail, bye],
        [way('start', 'paid'), way('paid', 'mail', 'yes'), way('paid', 'bye', 'no')],
      ),
    ],
    [
      'branches that join',
      graphOf([paid, bye], [way('start', 'paid'), way('paid', 'bye', 'yes'), way('paid', 'bye', 'no')]),
    ],
    [
      'a loop that pauses',
      graphOf(
        [day, paid, bye],
        [way('start', 'day'), way('day', 'paid'), way('paid', 'day', 'no'), way('paid', 'bye', 'yes')],
      ),
    ],
    [
      'a wait with one transition for both outcomes',
      graphOf(
        [step('wait', 'WAIT_FOR_EVENT', { eventName: 'order', timeout: 60 }), bye],
        [way('start', 'wait'), way('wait', 'bye')],
      ),
    ],
    [
      'a wait without a timeout, with one branch',
      graphOf(
        [step('wait', 'WAIT_FOR_EVENT', { eventName: 'order' }), bye],
        [way('start', 'wait'), way('wait', 'bye', 'event')],
      ),
    ],
  ])('runs: %s', (_name, graph) => {
    expect(findGraphFaults(graph)).toEqual([]);
    expect(parseGraph(JSON.parse(JSON.stringify(graph))).steps).toHaveLength(graph.steps.length);
  });

  it.each<[string, DraftGraph, [string, string | null][]]>([
    ['no trigger', { eventName: 'x', steps: [], transitions: [] }, [['trigger_missing', null]]],
    ['two triggers', graphOf([step('other', 'TRIGGER')], []), [['trigger_repeated', 'other']]],
    ['an unreachable step', graphOf([mail, day], [way('start', 'mail')]), [['step_unreachable', 'day']]],
    [
      'a step that only an unreachable step leads to',
      graphOf([day, mail], [way('day', 'mail')]),
      [
        ['step_unreachable', 'day'],
        ['step_unreachable', 'mail'],
      ],
    ],
    [
      'a missing branch',
      graphOf([paid, bye], [way('start', 'paid'), way('paid', 'bye', 'yes')]),
      [['branch_missing', 'paid']],
    ],
    [
      'a branch on a step that has none',
      graphOf([day, bye], [way('start', 'day'), way('day', 'bye', 'yes')]),
      [['branch_unknown', 'day']],
    ],
    [
      'no transition out of a wait',
      graphOf([step('wait', 'WAIT_FOR_EVENT', { eventName: 'order', timeout: 60 })], [way('start', 'wait')]),
      [
        ['branch_missing', 'wait'],
        ['branch_missing', 'wait'],
      ],
    ],
    [
      'no transition for the timeout',
      graphOf(
        [step('wait', 'WAIT_FOR_EVENT', { eventName: 'order', timeout: 60 }), bye],
        [way('start', 'wait'), way('wait', 'bye', 'event')],
      ),
      [['branch_missing', 'wait']],
    ],
    [
      'two transitions for one branch',
      graphOf([day, bye], [way('start', 'day'), way('start', 'bye')]),
      [['branch_repeated', 'start']],
    ],
    [
      'a step after an exit',
      graphOf([bye, day], [way('start', 'bye'), way('bye', 'day')]),
      [['transition_out_of_exit', 'bye']],
    ],
    [
      'a transition back to the trigger',
      graphOf([day], [way('start', 'day'), way('day', 'start')]),
      [['transition_into_trigger', 'day']],
    ],
    ['a transition to a missing step', graphOf([], [way('start', 'gone')]), [['transition_dangling', null]]],
    [
      'a loop that never pauses',
      graphOf(
        [mail, paid, bye],
        [way('start', 'mail'), way('mail', 'paid'), way('paid', 'mail', 'no'), way('paid', 'bye', 'yes')],
      ),
      [
        ['loop_without_pause', 'mail'],
        ['loop_without_pause', 'paid'],
      ],
    ],
    [
      'a loop that pauses for less than a minute',
      graphOf(
        [step('short', 'DELAY', { amount: 0.99, unit: 'minutes' }), mail],
        [way('start', 'mail'), way('mail', 'short'), way('short', 'mail')],
      ),
      [
        ['loop_without_pause', 'short'],
        ['loop_without_pause', 'mail'],
      ],
    ],
    [
      'a loop that waits for less than a minute',
      graphOf(
        [step('wait', 'WAIT_FOR_EVENT', { eventName: 'order', timeout: 59 }), mail],
        [way('start', 'mail'), way('mail', 'wait'), way('wait', 'mail')],
      ),
      [
        ['loop_without_pause', 'wait'],
        ['loop_without_pause', 'mail'],
      ],
    ],
    [
      'everything that its configs lack',
      graphOf([step('mail', 'SEND_EMAIL'), step('day', 'DELAY')], [way('start', 'mail'), way('mail', 'day')]),
      [
        ['config_incomplete', 'mail'],
        ['config_incomplete', 'day'],
        ['config_incomplete', 'day'],
      ],
    ],
  ])('does not run: %s', (_name, graph, faults) => {
    expect(faultsOf(graph)).toEqual(faults);
  });

  it('does not run with a call that was stored with more templates than are accepted now', () => {
    const body = Array.from({ length: 1_200 }, () => '{{ id }}');
    const hook = step('hook', 'WEBHOOK', { url: 'https://example.com', body });
    expect(findGraphFaults(graphOf([hook], [way('start', 'hook')]))).toMatchObject([
      { code: 'config_incomplete', stepId: 'hook', message: expect.stringContaining('At most 250 texts') },
    ]);
  });

  it('describes each fault in words that name step and field', () => {
    const graph = graphOf([step('Welcome', 'SEND_EMAIL')], []);
    expect(findGraphFaults(graph)).toEqual([
      {
        code: 'step_unreachable',
        message: 'Welcome: no path leads from the trigger to this step',
        stepId: 'Welcome',
      },
      {
        code: 'config_incomplete',
        message: 'Welcome: config.templateId: A template is required',
        stepId: 'Welcome',
        field: 'config.templateId',
      },
    ]);
  });
});

describe('a stored graph', () => {
  it('has configs of up to 1 MB: each is read when its step is used', () => {
    let reads = 0;
    const data = {
      get plan() {
        reads += 1;
        return 'pro';
      },
    };
    const change = step('change', 'UPDATE_CONTACT', { data });
    const [, parsed] = parseGraph(graphOf([change], [way('start', 'change')])).steps;
    expect(reads).toBe(0);
    expect(parsed?.config).toMatchObject({ data: { set: { plan: 'pro' } } });
  });
});

describe('the next step', () => {
  const wait = step('wait', 'WAIT_FOR_EVENT', { eventName: 'order', timeout: 60 });

  it('is that of the branch', () => {
    const graph = parseGraph(
      graphOf(
        [paid, mail, bye],
        [way('start', 'paid'), way('paid', 'mail', 'yes'), way('paid', 'bye', 'no')],
      ),
    );
    expect(nextStep(graph, triggerOf(graph)?.id ?? '')?.id).toBe('paid');
    expect(nextStep(graph, 'paid', 'yes')).toMatchObject({ config: { templateId: template, to: null } });
    expect(nextStep(graph, 'paid', 'no')?.type).toBe('EXIT');
    expect(nextStep(graph, 'paid')).toBeUndefined();
    expect(nextStep(graph, 'mail')).toBeUndefined();
  });

  it('is the one after the transition without a branch, for either outcome of a wait', () => {
    const graph = parseGraph(graphOf([wait, bye], [way('start', 'wait'), way('wait', 'bye')]));
    expect(nextStep(graph, 'wait', 'event')?.id).toBe('bye');
    expect(nextStep(graph, 'wait', 'timeout')?.id).toBe('bye');
  });
});
