import { describe, expect, it } from 'vitest';
import { parseCondition } from './parse-condition.ts';
import { conditionReferences, readsEvent, readsField } from './references.ts';

const vip = '0190a000-0000-7000-8000-00000000000a';
const news = '0190a000-0000-7000-8000-00000000000c';
const old = '0190a000-0000-7000-8000-00000000000b';

function parsed(raw: unknown) {
  const result = parseCondition(raw);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.condition;
}

const condition = parsed({
  logic: 'OR',
  groups: [
    {
      filters: [
        { field: 'data.plan', operator: 'equals', value: 'pro' },
        { field: 'data.plan', operator: 'exists' },
        { field: 'data.address.city', operator: 'contains', value: 'ber' },
        { field: 'email', operator: 'contains', value: '@' },
        { field: 'event.order placed', operator: 'triggered' },
      ],
    },
    {
      filters: [{ field: `segment.${vip.toUpperCase()}`, operator: 'memberOfSegment' }],
      conditions: {
        logic: 'AND',
        groups: [
          {
            filters: [
              { field: 'subscribed', operator: 'equals', value: true },
              { field: 'createdAt', operator: 'within', value: 7 },
              { field: 'email.opened', operator: 'notTriggered' },
              { field: `segment.${old}`, operator: 'notMemberOfSegment' },
              { field: 'data.first name', operator: 'notExists' },
              { field: `campaign.${news.toUpperCase()}`, operator: 'notOpened' },
            ],
          },
        ],
      },
    },
  ],
});

describe('what a condition reads', () => {
  it('is found once each, however deep', () => {
    const { data, builtIn, events, segments, campaigns } = conditionReferences(condition);
    expect([...data]).toEqual(['plan', 'address.city', 'first name']);
    expect([...builtIn]).toEqual(['email', 'subscribed', 'createdAt']);
    expect([...events]).toEqual(['order placed', 'email.open']);
    expect([...segments]).toEqual([vip, old]);
    expect([...campaigns]).toEqual([news]);
  });

  it.each([
    ['plan', true],
    ['first name', true],
    ['address', true],
    ['address.city', true],
    ['address.city.part', false],
    ['addr', false],
    ['city', false],
    ['email', false],
  ])('is the custom field %s: %s', (field, expected) => {
    expect(readsField(condition, { kind: 'custom', key: field, path: [] })).toBe(expected);
  });

  it('is an event by the name in the journal, and a segment by its id', () => {
    expect(readsEvent(condition, 'order placed')).toBe(true);
    expect(readsEvent(condition, 'email.open')).toBe(true);
    expect(readsEvent(condition, 'email.opened')).toBe(false);
    const { segments } = conditionReferences(condition);
    expect(segments.has(old.toLowerCase())).toBe(true);
    expect(segments.has('0190a000-0000-7000-8000-00000000000c')).toBe(false);
  });
});
