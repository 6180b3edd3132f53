import { expect, it } from 'vitest';
import type { CampaignActivity } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { evaluateCondition } from '../../core/conditions/testing/evaluate-condition.ts';
import type { JsonValue } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { compileCondition } from './testing/compile-condition.ts';
import { storeContacts, type TestContact, toConditionContact } from './testing/stored-contacts.ts';

const now = new Date('2024-03-10T12:00:00.000Z');
const segment = '0190a000-0000-7000-8000-000000000001';
const [campaign, otherCampaign] = [newId(), newId()];
const at = (text: string) => new Date(text);
const noon = '2024-03-01T12:00:00.000Z';

const { em, sql } = useTestDatabase(2);

type Given = Partial<TestContact>;
const x = (value: JsonValue): Given => ({ data: { x: value } });
const none: Given = {};
const received = (...more: CampaignActivity[]): Given => ({ campaigns: { [campaign]: ['sent', ...more] } });
const waiting: Given = { campaigns: { [campaign]: [] } };
const ofOther: Given = { campaigns: { [otherCampaign]: ['sent', 'opened', 'clicked'] } };
/** An id whose last 16 bits are 65,500 and the group. */
const inGroup = (group: number): Given => ({
  id: newId().slice(0, -4) + (group < 36 ? 65_500 + group : group).toString(16).padStart(4, '0'),
});
const event = (...times: string[]): Given => ({ events: { e: times.map(at) } });

/** Field, operator, value (with `unit`, `within`), contacts that match, contacts that do not. */
type Case = [string, string, { value?: unknown; unit?: string; within?: number }, Given[], Given[]];

const ada: Given = { email: 'ada@example.com' };
const bob: Given = { email: 'bob@example.com' };
const v = (value: unknown, more: { unit?: string; within?: number } = {}) => ({ value, ...more });

const cases: Case[] = [
  ['email', 'equals', v('ADA@Example.com'), [ada], [bob]],
  ['email', 'notEquals', v('ada@example.com'), [bob], [ada]],
  ['email', 'contains', v('A@EX'), [ada], [bob]],
  ['email', 'notContains', v('a@ex'), [bob], [ada]],
  ['subscribed', 'equals', v(true), [{ subscribed: true }], [{ subscribed: false }]],
  ['subscribed', 'notEquals', v(true), [{ subscribed: false }], [{ subscribed: true }]],
  ['randomGroup', 'lessThan', v(36), [inGroup(0), inGroup(35)], [inGroup(36), inGroup(99)]],
  ['randomGroup', 'greaterThanOrEqual', v(36), [inGroup(36), inGroup(99)], [inGroup(0), inGroup(35)]],
  ['randomGroup', 'lessThan', v(0), [], [inGroup(0)]],
  ['randomGroup', 'lessThan', v(100), [inGroup(99)], []],

  [
    'createdAt',
    'equals',
    v('2024-03-01'),
    [{ createdAt: at('2024-03-01T23:59:59.999Z') }, { createdAt: at('2024-03-01') }],
    [{ createdAt: at('2024-03-02') }, { createdAt: at('2024-02-29T23:59:59.999Z') }],
  ],
  [
    'createdAt',
    'equals',
    v('2024-03-01T12:00:00Z'),
    [{ createdAt: at(noon) }],
    [{ createdAt: at('2024-03-01T12:00:00.001Z') }],
  ],
  ['updatedAt', 'notEquals', v('2024-03-01'), [{ updatedAt: at('2024-03-02') }], [{ updatedAt: at(noon) }]],
  [
    'createdAt',
    'greaterThan',
    v(noon),
    [{ createdAt: at('2024-03-01T12:00:00.001Z') }],
    [{ createdAt: at(noon) }],
  ],
  [
    'createdAt',
    'lessThan',
    v('2024-03-01'),
    [{ createdAt: at('2024-02-29T23:59:59.999Z') }],
    [{ createdAt: at('2024-03-01') }],
  ],
  [
    'createdAt',
    'greaterThanOrEqual',
    v(noon),
    [{ createdAt: at(noon) }],
    [{ createdAt: at('2024-03-01T11:59:59.999Z') }],
  ],
  [
    'createdAt',
    'lessThanOrEqual',
    v(noon),
    [{ createdAt: at(noon) }],
    [{ createdAt: at('2024-03-01T12:00:00.001Z') }],
  ],
  [
    'createdAt',
    'within',
    v(9),
    [{ createdAt: at(noon) }, { createdAt: at('2025-01-01') }],
    [{ createdAt: at('2024-03-01T11:59:59.999Z') }],
  ],
  [
    'createdAt',
    'olderThan',
    v(9),
    [{ createdAt: at('2024-03-01T11:59:59.999Z') }],
    [{ createdAt: at(noon) }],
  ],
  [
    'createdAt',
    'equals',
    v('2024-03-01T14:00:00+02:00'),
    [{ createdAt: at(noon) }],
    [{ createdAt: at('2024-03-01T14:00:00Z') }],
  ],
  [
    'createdAt',
    'lessThan',
    v('2024-02-29T18:30:00.001-05:30'),
    [{ createdAt: at('2024-03-01T00:00:00Z') }],
    [{ createdAt: at('2024-03-01T00:00:00.001Z') }],
  ],
  ['snoozedUntil', 'exists', {}, [{ snoozedUntil: at(noon) }], [none]],
  ['snoozedUntil', 'notExists', {}, [none], [{ snoozedUntil: at(noon) }]],
  ['snoozedUntil', 'notEquals', v('2024-03-01'), [none], [{ snoozedUntil: at(noon) }]],
  ['snoozedUntil', 'olderThan', v(1, { unit: 'minutes' }), [{ snoozedUntil: at(noon) }], [none]],

  ['data.x', 'equals', v('Pro'), [x('Pro')], [x('pro'), x(['Pro']), none]],
  [
    'data.x',
    'in',
    v(['pro', 'a "b"\\', 7, true]),
    [x('pro'), x('a "b"\\'), x(7), x(true)],
    [x('Pro'), x('7'), x(['pro']), x(null), none],
  ],
  ['data.x', 'notIn', v(['pro', '{}']), [x('Pro'), x({}), x(null), none], [x('pro'), x('{}')]],
  ['data.x.y', 'in', v(['pro', 1.5]), [x({ y: 'pro' }), x({ y: 1.5 })], [x({ y: 'free' }), x('pro'), none]],
  ['data.x', 'equals', v(1), [x(1)], [x('1'), x(true), x(1.5), none]],
  ['data.x', 'equals', v('1'), [x('1')], [x(1)]],
  ['data.x', 'equals', v(true), [x(true)], [x('true'), x(1), x(false), none]],
  [
    'data.x',
    'equals',
    v('2024-03-01'),
    [x('2024-03-01'), x(noon)],
    [x('2024-03-02'), x('2024-03-01 '), x(20240301), none],
  ],
  [
    'data.x',
    'equals',
    v(noon),
    [x(noon), x('2024-03-01T12:00:00Z'), x('2024-03-01')],
    [x('2024-03-01T12:00:00.001Z')],
  ],
  ['data.x', 'notEquals', v('Pro'), [x('pro'), x(1), none, x({ a: 1 })], [x('Pro')]],
  ['data.x', 'contains', v('RO'), [x('Pro'), x('ro')], [x('po'), x(['ro']), x({ ro: 'ro' }), none]],
  ['data.x', 'contains', v('2024-03'), [x('2024-03-01')], [x(noon.replace('03', '04'))]],
  ['data.x', 'contains', v('ΟΔΟΣ'), [x('η οδοσ'), x('ΟΔΟΣ')], [x('οδος')]],
  ['data.x', 'notContains', v('ro'), [x(5), none, x('po')], [x('PRO')]],
  ['data.x', 'greaterThan', v(9), [x(10), x(9.5)], [x(9), x('10'), x(true), x([10]), none]],
  ['data.x', 'lessThan', v(10), [x(9), x(-1e300)], [x(10), x('9'), x(false), none]],
  ['data.x', 'greaterThanOrEqual', v(0.3), [x(0.3), x(0.1 + 0.2)], [x(0.29)]],
  ['data.x', 'lessThanOrEqual', v(0.3), [x(0.3)], [x(0.1 + 0.2)]],
  ['data.x', 'greaterThan', v('b'), [x('c'), x('ba'), x('é')], [x('b'), x('B'), x(5), none]],
  ['data.x', 'greaterThan', v('\uffee'), [x('😀')], [x('\ue000')]],
  ['data.x', 'lessThan', v('b'), [x('B'), x('a')], [x('b'), x('2024-03-01')]],
  [
    'data.x',
    'greaterThan',
    v('2024-03-01'),
    [x('2024-03-01T00:00:00.001Z')],
    [x('2024-03-01'), x('z'), x('2024-13-01')],
  ],
  [
    'data.x',
    'lessThanOrEqual',
    v('2024-03-01'),
    [x('2024-03-01T00:00:00Z'), x('0001-01-01')],
    [x('0000-01-01'), x('2023-02-29'), x('1900-02-29')],
  ],
  [
    'data.x',
    'equals',
    v('2024-03-01T14:00:00+02:00'),
    [
      x(noon),
      x('2024-03-01'),
      x('2024-03-01T12:00:00Z'),
      x('2024-03-01T14:00:00.000+02:00'),
      x('2024-03-01T06:30:00.0009-05:30'),
      x('2024-03-01T12:00:00.0Z'),
      x('2024-03-02T11:59:00+23:59'),
    ],
    [
      x('2024-03-01T14:00:00Z'),
      x('2024-03-01T14:00:00.001+02:00'),
      x('2024-03-02'),
      x('2024-03-01T14:00:00'),
    ],
  ],
  [
    'data.x',
    'equals',
    v('2024-03-01'),
    [
      x('2024-03-01T00:00:00+00:00'),
      x('2024-02-29T23:30:00-01:00'),
      x('2024-03-02T01:59:59.999999999+02:00'),
    ],
    [x('2024-03-01T00:30:00+01:00'), x('2024-03-02T02:00:00+02:00')],
  ],
  [
    'data.x',
    'notEquals',
    v('2024-03-01T14:00:00+02:00'),
    [x('2024-03-01T14:00:00+0200'), x('2024-03-01T14:00:00+02:00 '), none],
    [x(noon), x('2024-03-01T12:00:00-00:00')],
  ],
  [
    'data.x',
    'greaterThan',
    v('2024-03-01T14:00:00+02:00'),
    [x('2024-03-01T10:00:00.001-02:00'), x('2024-03-02'), x('2024-03-01T12:00:00.001999Z')],
    [
      x(noon),
      x('2024-03-01T13:59:59+02:00'),
      x('2024-03-01T12:00:00.000999Z'),
      x('z'),
      x('2024-03-01T18:00:00+24:00'),
    ],
  ],
  [
    'data.x',
    'lessThanOrEqual',
    v(noon),
    [x('2024-03-01T14:00:00+02:00'), x('0001-01-01T02:00:00+02:00')],
    [
      x('2024-03-01T12:00:00.001+00:00'),
      x('0001-01-01T01:59:59+02:00'),
      x('0000-12-31T23:00:00-02:00'),
      x('2023-02-29T12:00:00+02:00'),
      x('2024-02-29T24:00:00+02:00'),
      x('2016-12-31T23:59:60+00:00'),
      x('2024-02-29t12:00:00+02:00'),
      x('2024-02-29T12:00:00z'),
      x('2024-02-29 12:00:00+02:00'),
      x('2024-02-29T12:00+02:00'),
      x('2024-02-29T12:00:00.+02:00'),
      x('2024-02-29T12:00:00,5+02:00'),
      x('2024-02-29T12:00:00.1234567890+02:00'),
      x('2024-02-29T12:00:00+02'),
      x('2024-02-29T12:00:00+02:60'),
      x('2024-02-29T12:00:00+02:00\n'),
      x('2024-02-29T12:00:00\u221202:00'),
    ],
  ],
  [
    'data.x',
    'greaterThan',
    v('9999-12-31T23:59:59.998Z'),
    [x('9999-12-31T21:59:59.999-02:00')],
    [x('9999-12-31T22:00:00-02:00'), x('9999-12-31T23:59:59-23:59')],
  ],
  ['data.x', 'lessThan', v('b'), [x('2024-03-01T12:00:00+0200')], [x('2024-03-01T12:00:00+02:00')]],
  ['data.x', 'lessThan', v('9999-12-31T23:00:00-02:00'), [x('2024-13-01'), x('')], [x(noon), x('z')]],
  [
    'data.x',
    'within',
    v(9),
    [x('2024-03-01T17:30:00+05:30'), x('2024-03-01T12:00:00.5+00:00')],
    [x('2024-03-01T12:00:00+05:30'), x('2024-03-01T11:59:59.999999+00:00')],
  ],
  [
    'data.x',
    'olderThan',
    v(9),
    [x('2024-03-01T12:00:00+05:30')],
    [x('2024-03-01T17:30:00+05:30'), x('2024-02-30T12:00:00+05:30')],
  ],
  ['data.x', 'exists', {}, [x(false), x(0), x([]), x({})], [none]],
  ['data.x', 'notExists', {}, [none], [x(0)]],
  ['data.x', 'within', v(9), [x(noon), x('2024-03-02')], [x('2024-03-01'), x('zzz'), x(9e15), none]],
  [
    'data.x',
    'olderThan',
    v(216, { unit: 'hours' }),
    [x('2024-03-01')],
    [x(noon), x('1'), x('2023-02-29'), none],
  ],
  [
    'data.a.b',
    'equals',
    v(1),
    [{ data: { 'a.b': 1 } }, { data: { a: { b: 1 } } }, { data: { 'a.b': 1, a: { b: 2 } } }],
    [{ data: { 'a.b': 2, a: { b: 1 } } }, { data: { a: [1] } }],
  ],
  ['data.first name', 'equals', v('Ada'), [{ data: { 'first name': 'Ada' } }], [none]],
  ['data.a.0', 'exists', {}, [{ data: { a: { '0': 1 } } }], [{ data: { a: [1] } }, { data: { a: 'text' } }]],
  ['data.a.b', 'exists', {}, [{ data: { a: { b: '' } } }], [{ data: { a: { b: null } } }]],
  ['data.constructor', 'exists', {}, [{ data: { constructor: 1 } }], [none]],

  ['event.e', 'triggered', {}, [event(noon)], [none]],
  ['event.e', 'notTriggered', {}, [none], [event(noon)]],
  [
    'event.e',
    'triggeredWithin',
    v(9),
    [event('2024-01-01', noon)],
    [event('2024-03-01T11:59:59.999Z'), none],
  ],
  [
    'event.e',
    'notTriggeredWithin',
    v(9),
    [event('2024-03-01T11:59:59.999Z'), none],
    [event('2024-01-01', noon)],
  ],
  ['event.e', 'triggeredOlderThan', v(9), [event('2024-01-01')], [event('2024-01-01', noon), none]],
  ['event.e', 'countGreaterThan', v(1), [event(noon, noon)], [event(noon), none]],
  ['event.e', 'countGreaterThan', v(0), [event(noon)], [none]],
  ['event.e', 'countLessThan', v(2), [event(noon), none], [event(noon, noon)]],
  ['event.e', 'countLessThan', v(0), [], [event(noon), none]],
  [
    'event.e',
    'countGreaterThan',
    v(1, { within: 9 }),
    [event(noon, noon), event('2024-01-01', noon, noon)],
    [event('2024-01-01', noon), event('2024-01-01', '2024-01-02', '2024-01-03')],
  ],
  [
    'event.e',
    'countLessThan',
    v(2, { within: 216, unit: 'hours' }),
    [none, event('2024-01-01', '2024-01-02', noon)],
    [event(noon, noon)],
  ],
  [
    'email.open',
    'triggered',
    {},
    [{ events: { 'email.open': [at(noon)] } }],
    [{ events: { 'email.opened': [at(noon)] } }],
  ],
  ...(['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const).map(
    (activity, index): Case => {
      const names = [
        'email.sent',
        'email.delivery',
        'email.open',
        'email.click',
        'email.bounce',
        'email.complaint',
      ];
      return [
        `email.${activity}`,
        'triggered',
        {},
        [{ events: { [names[index] ?? '']: [at(noon)] } }],
        [none],
      ];
    },
  ),
  [`segment.${segment}`, 'memberOfSegment', {}, [{ segments: [segment] }], [none]],
  [`segment.${segment}`, 'notMemberOfSegment', {}, [none], [{ segments: [segment] }]],
  [`campaign.${campaign}`, 'sent', {}, [received(), received('opened')], [none, waiting, ofOther]],
  [`campaign.${campaign}`, 'notSent', {}, [none, waiting, ofOther], [received()]],
  [`campaign.${campaign}`, 'opened', {}, [received('opened')], [received(), none, ofOther]],
  [`campaign.${campaign}`, 'notOpened', {}, [received(), none, ofOther], [received('opened')]],
  [`campaign.${campaign}`, 'clicked', {}, [received('opened', 'clicked')], [received('opened'), none]],
  [`campaign.${campaign}`, 'notClicked', {}, [received('opened'), none], [received('opened', 'clicked')]],
];

it.each(cases)('%s %s %j', async (field, operator, rest, matching, others) => {
  const parsed = parseCondition({ logic: 'AND', groups: [{ filters: [{ field, operator, ...rest }] }] });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const contacts = [...matching, ...others].map(
    (given, index): TestContact => ({
      email: `contact-${index}@example.com`,
      subscribed: true,
      createdAt: now,
      updatedAt: now,
      snoozedUntil: null,
      data: {},
      events: {},
      segments: [],
      ...given,
    }),
  );
  const expected = contacts.map((_contact, index) => index < matching.length);
  expect(
    contacts.map((contact) => evaluateCondition(parsed.condition, toConditionContact(contact), now)),
  ).toEqual(expected);

  const project = newId();
  const ids = await storeContacts(em(), project, contacts);
  const members = ids.filter((_id, index) => contacts[index]?.segments.includes(segment));
  const compiled = compileCondition(
    parsed.condition,
    {
      projectId: project,
      now,
      segmentMembership: (_id, bind) => `c.id = any(${bind(members)}::uuid[])`,
    },
    [project],
  );
  const rows = await sql<{ id: string }>(
    `select c.id from contacts c where c.project_id = $1 and ${compiled.sql}`,
    compiled.parameters,
  );
  const found = new Set(rows.map((row) => row.id));
  expect(ids.map((id) => found.has(id))).toEqual(expected);
});
