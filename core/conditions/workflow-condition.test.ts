import { describe, expect, it } from 'vitest';
import { parseCondition, parseWorkflowCondition } from './parse-condition.ts';
import { conditionReferences } from './references.ts';
import { type ConditionContact, evaluateWorkflowCondition } from './testing/evaluate-condition.ts';

const now = new Date('2026-05-10T12:00:00.000Z');
const contact: ConditionContact = {
  id: '0190a000-0000-7000-8000-000000000001',
  campaigns: new Map(),
  email: 'ada@example.com',
  subscribed: true,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  updatedAt: new Date('2026-01-01T00:00:00.000Z'),
  snoozedUntil: null,
  data: { plan: 'pro' },
  events: new Map([['order', { count: 3, firstAt: now, lastAt: now, times: [now, now, now] }]]),
  segments: new Set(),
};
const variables = {
  context: {
    webhook: { statusCode: 200, body: { ok: true } },
    'dotted.key': 'whole',
    'v1.2 call': { statusCode: 200, body: { ok: true } },
    due: '2026-05-09',
    at: '2026-05-10T14:00:00+02:00',
  },
  event: { order: 'second', total: 30, 'item names': ['a'], gone: null },
};

const tree = (...filters: object[]) => ({ logic: 'AND', groups: [{ filters }] });

function meets(filter: object): boolean {
  const parsed = parseWorkflowCondition(tree(filter));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return evaluateWorkflowCondition(parsed.condition, contact, variables, now);
}

describe('the condition of a workflow', () => {
  it.each<[boolean, object]>([
    [true, { field: 'context.webhook.statusCode', operator: 'lessThan', value: 300 }],
    [false, { field: 'context.webhook.statusCode', operator: 'equals', value: '200' }],
    [true, { field: 'context.webhook.body.ok', operator: 'equals', value: true }],
    [true, { field: 'context.dotted.key', operator: 'contains', value: 'WHO' }],
    [true, { field: 'context.v1.2 call.statusCode', operator: 'equals', value: 200 }],
    [true, { field: 'context.v1.2 call.body.ok', operator: 'equals', value: true }],
    [true, { field: 'context.v1.2 call.body.missing', operator: 'notExists' }],
    [true, { field: 'context.due', operator: 'within', value: 2 }],
    [true, { field: 'context.at', operator: 'equals', value: '2026-05-10T12:00:00Z' }],
    [false, { field: 'context.at', operator: 'greaterThan', value: '2026-05-10T08:00:00-04:00' }],
    [true, { field: 'context.missing', operator: 'notEquals', value: 1 }],
    [false, { field: 'context.missing', operator: 'equals', value: 1 }],
    [true, { field: 'event.order', operator: 'equals', value: 'second' }],
    [true, { field: 'event.item names', operator: 'exists' }],
    [true, { field: 'event.gone', operator: 'notExists' }],
    [true, { field: 'event.total', operator: 'greaterThan', value: 29.5 }],
    [true, { field: 'event.order', operator: 'triggered' }],
    [true, { field: 'event.order', operator: 'countGreaterThan', value: 2 }],
    [false, { field: 'event.total', operator: 'triggered' }],
    [true, { field: 'event.total', operator: 'notTriggeredWithin', value: 1 }],
    [true, { field: 'data.plan', operator: 'equals', value: 'pro' }],
    [true, { field: 'subscribed', operator: 'equals', value: true }],
    [false, { field: 'email.opened', operator: 'triggered' }],
  ])('is %s for %j', (expected, filter) => {
    expect(meets(filter)).toBe(expected);
  });

  it('never reads what an object inherits', () => {
    expect(meets({ field: 'event.constructor.name', operator: 'exists' })).toBe(false);
  });

  it('joins variables and the contact in one tree', () => {
    const nested = tree({ field: 'event.total', operator: 'equals', value: 1 });
    const raw = {
      logic: 'OR',
      groups: [
        { filters: [{ field: 'data.plan', operator: 'equals', value: 'free' }] },
        { filters: [{ field: 'context.due', operator: 'exists' }], conditions: nested },
      ],
    };
    const parsed = parseWorkflowCondition(raw);
    if (!parsed.ok) throw new Error('refused');
    expect(evaluateWorkflowCondition(parsed.condition, contact, variables, now)).toBe(false);
    const paid = { ...variables, event: { total: 1 } };
    expect(evaluateWorkflowCondition(parsed.condition, contact, paid, now)).toBe(true);
  });

  it.each<[object, string]>([
    [{ field: 'context.', operator: 'exists' }, 'field'],
    [{ field: 'contexts.a', operator: 'exists' }, 'field'],
    [{ field: 'context.a', operator: 'triggered' }, 'operator'],
    [{ field: 'event.a', operator: 'memberOfSegment' }, 'operator'],
    [{ field: 'event.a', operator: 'equals' }, 'value'],
    [{ field: 'event.a', operator: 'within', value: 1, unit: 'weeks' }, 'unit'],
    [{ field: 'event.a', operator: 'greaterThan', value: true }, 'value'],
    [{ field: 'context.a\0', operator: 'exists' }, 'field'],
  ])('refuses %j', (filter, field) => {
    const parsed = parseWorkflowCondition(tree(filter), 'config');
    expect(parsed).toMatchObject({ ok: false, issues: [{ field: `config.groups.0.filters.0.${field}` }] });
  });

  it('alone has variables: segments and audiences have none', () => {
    expect(parseCondition(tree({ field: 'context.a', operator: 'exists' })).ok).toBe(false);
    expect(parseCondition(tree({ field: 'event.a', operator: 'equals', value: 1 })).ok).toBe(false);
  });

  it('reads event history from the project, and none of its own variables', () => {
    const parsed = parseWorkflowCondition(
      tree(
        { field: 'event.order', operator: 'triggered' },
        { field: 'event.total', operator: 'equals', value: 1 },
        { field: 'context.plan', operator: 'exists' },
        { field: 'data.plan', operator: 'exists' },
      ),
    );
    if (!parsed.ok) throw new Error('refused');
    const { events, data } = conditionReferences(parsed.condition);
    expect([[...events], [...data]]).toEqual([['order'], ['plan']]);
  });
});
