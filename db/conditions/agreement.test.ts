import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { CampaignActivity } from '../../core/conditions/condition.ts';
import { parseDateText } from '../../core/conditions/date-text.ts';
import { operatorTables } from '../../core/conditions/operators.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import {
  type ConditionContact,
  countingWindows,
  evaluateCondition,
} from '../../core/conditions/testing/evaluate-condition.ts';
import { foldCase } from '../../core/conditions/text-order.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { newId } from '../../core/new-id.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import type { Bind } from '../sql.ts';
import { audienceQuery } from './audience-query.ts';
import { compileCondition } from './testing/compile-condition.ts';
import { storeContacts, type TestContact, toConditionContact } from './testing/stored-contacts.ts';

const now = new Date('2024-03-10T12:00:00.000Z');
const day = 86_400_000;
const contactCount = 300;
const treeCount = 500;
const segments = [newId(), newId()] as const;
const campaigns = [newId(), newId()] as const;
const eventNames = ['e', 'email.open', 'a.b c'] as const;

// Few values, so that filters hit contacts; each lies on or next to a boundary.
const instant = fc
  .tuple(fc.constantFrom(0, 1, 2, 10, 366), fc.constantFrom(-1, 0, 1, day / 2))
  .map(([days, ms]) => new Date(now.getTime() - days * day + ms));
const letter = fc.constantFrom(
  'a',
  'A',
  'b',
  'é',
  'É',
  'İ',
  'ı',
  'Σ',
  'ς',
  'ß',
  'ẞ',
  '\ue000',
  '\uffee',
  '😀',
  '𐐀',
  '𐐨',
  '%',
  '_',
  '\\',
  "'",
  '"',
  ' ',
  '.',
);
/** The instant with a time zone offset, with 0 to 9 fractional digits. */
const withOffset = (value: Date) =>
  fc
    .tuple(
      fc.constantFrom(0, 1, 120, 330, 840, 1439),
      fc.constantFrom('+', '-'),
      fc.nat({ max: 9 }),
      fc.nat(999_999),
    )
    .map(([minutes, sign, digits, beyond]) => {
      const local = new Date(value.getTime() + (sign === '+' ? minutes : -minutes) * 60_000).toISOString();
      const fraction = `.${local.slice(20, 23)}${String(beyond).padStart(6, '0')}`.slice(0, digits + 1);
      const offset = new Date(minutes * 60_000).toISOString().slice(11, 16);
      const zone = minutes === 0 && sign === '+' ? 'Z' : `${sign}${offset}`;
      return `${local.slice(0, 19)}${digits === 0 ? '' : fraction}${zone}`;
    });
const text = fc.oneof(
  fc.string({ unit: letter, maxLength: 3 }),
  fc
    .string({ unit: 'binary', maxLength: 3 })
    .filter((value) => value.isWellFormed() && !value.includes('\0')),
  instant.map((value) => value.toISOString()),
  instant.map((value) => value.toISOString().slice(0, 10)),
  instant.map((value) => `${value.toISOString().slice(0, 19)}Z`),
  instant.chain(withOffset),
  fc.constantFrom(
    '2024-02-29',
    '2023-02-29',
    '1900-02-29',
    '0000-01-01',
    '0001-01-01',
    '9999-12-31',
    '2024-04-31',
    '2024-01-01\n',
    '2024-01-01T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2024-13-01',
    '2024-00-10',
    '2o24-01-01',
    ' 024-01-01',
    '2024-01-1 ',
    '2024-01-0１',
    '2024-03-10T12:60:00.000Z',
    '2024-03-10T12:00:00.0 0Z',
    '2024-03-10t12:00:00Z',
    '2024-03-10T12:00:00+02:00',
    '2024-03-10T12:00:00.1234567890Z',
    '2024-03-10T12:00:00.9999999+24:00',
    '2024-03-10T12:00:00.9999999+23:60',
    '2024-03-10T24:00:00+00:00',
    '2016-12-31T23:59:60-00:00',
    '2024-04-31T12:00:00-02:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59.999-00:01',
    '2024-03-10T12:00:00+0200',
    '2024-03-10T12:00:00+02:00x',
    '10',
    'true',
    '',
  ),
);
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, 10, 9, 0.1, 0.1 + 0.2, 0.3, 1e21, 5e-324, Number.MAX_VALUE, -1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, text, number, fc.boolean());
const stored = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
);
const key = fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'first name', '0', 'é😀', 'constructor');
const isStorable = (value: unknown) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));
const data = fc
  .dictionary(
    key,
    fc.oneof(
      { weight: 3, arbitrary: stored },
      { weight: 1, arbitrary: fc.dictionary(key, fc.oneof(stored, fc.dictionary(key, stored))) },
    ),
    { maxKeys: 6 },
  )
  .filter(isStorable)
  // Stored as JSON and read back.
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)));

const contact = fc.record({
  name: fc.string({ unit: fc.constantFrom('a', 'b', '+', 'x'), maxLength: 3 }),
  subscribed: fc.boolean(),
  createdAt: instant,
  updatedAt: instant,
  snoozedUntil: fc.option(instant),
  data,
  events: fc.dictionary(fc.constantFrom(...eventNames), fc.array(instant, { maxLength: 5 })),
  segments: fc.subarray([...segments]),
  campaigns: fc.dictionary(
    fc.constantFrom(...campaigns),
    fc.constantFrom<CampaignActivity[]>([], ['sent'], ['sent', 'opened'], ['sent', 'opened', 'clicked']),
  ),
});

const amount = {
  value: fc.constantFrom(1, 2, 10, 24, 366, 0.5, 1440),
  unit: fc.constantFrom('days', 'hours', 'minutes'),
};
const dateValue = instant.chain((value) =>
  fc.oneof(fc.constantFrom(value.toISOString(), value.toISOString().slice(0, 10)), withOffset(value)),
);

function operandFor(test: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (test === 'containing') return fc.oneof(letter, text);
  if (/Than/.test(test)) return value.filter((one) => typeof one !== 'boolean');
  if (test !== 'oneOf') return value;
  const listed = value.filter((one) => parseDateText(String(one)) === undefined);
  return fc.array(listed, { minLength: 1, maxLength: 4 });
}

function filterOf(
  field: fc.Arbitrary<string>,
  operators: ReadonlyMap<string, { test: string }>,
  value: fc.Arbitrary<unknown>,
) {
  return fc.constantFrom(...operators).chain(([operator, { test }]) => {
    const isAge = test === 'within' || test === 'olderThan';
    const isCount = test === 'countAbove' || test === 'countFrom';
    const operand = isAge ? amount.value : isCount ? fc.integer({ min: 0, max: 5 }) : operandFor(test, value);
    const base = { field, operator: fc.constant(operator), value: operand };
    if (isAge) return fc.record({ ...base, unit: amount.unit });
    return isCount
      ? fc.record({ ...base, within: fc.option(amount.value), unit: amount.unit })
      : fc.record(base);
  });
}
const filter = fc.oneof(
  filterOf(
    fc.constant('email'),
    operatorTables.email,
    fc.constantFrom('a1@example.com', 'A', '+', '@EX', 'é'),
  ),
  filterOf(fc.constant('subscribed'), operatorTables.subscribed, fc.boolean()),
  filterOf(fc.constant('randomGroup'), operatorTables.randomGroup, fc.integer({ min: 0, max: 100 })),
  filterOf(fc.constantFrom('createdAt', 'updatedAt', 'snoozedUntil'), operatorTables.instant, dateValue),
  {
    weight: 5,
    arbitrary: filterOf(
      fc.oneof(key, fc.constantFrom('b.a', 'a.0', 'a.b.c.a')).map((one) => `data.${one}`),
      operatorTables.data,
      scalar,
    ),
  },
  {
    weight: 3,
    arbitrary: filterOf(
      fc.constantFrom('event.e', 'email.opened', 'event.a.b c', 'event.never'),
      operatorTables.event,
      fc.constant(1),
    ),
  },
  filterOf(
    fc.constantFrom(...segments).map((id) => `segment.${id}`),
    operatorTables.segment,
    fc.constant(1),
  ),
  filterOf(
    fc.constantFrom(...campaigns, newId()).map((id) => `campaign.${id}`),
    operatorTables.campaign,
    fc.constant(1),
  ),
);
const logic = fc.constantFrom('AND', 'OR');
const { tree } = fc.letrec((tie) => ({
  tree: fc.record({
    logic,
    groups: fc.array(
      fc.oneof(
        { maxDepth: 4 },
        fc.record({ filters: fc.array(filter, { minLength: 1, maxLength: 2 }) }),
        fc.record({ filters: fc.array(filter, { maxLength: 1 }), conditions: tie('tree') }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
}));

const { em, sql } = useTestDatabase(2);

it('evaluates in memory exactly as in SQL', async () => {
  const project = newId();
  const contacts: TestContact[] = fc
    .sample(contact, contactCount)
    .map(({ name, ...rest }, index) => ({ ...rest, email: `${name}${index}@example.com` }));
  const ids = await storeContacts(em(), project, contacts);
  // The same contacts in another project: none of them may be found, and nothing may count twice.
  await storeContacts(em(), newId(), contacts);
  await sql('analyze contacts, contact_event_stats, events, emails');
  const inMemory = contacts.map((one, index) => toConditionContact({ ...one, id: ids[index] }));
  const members = (id: string) => ids.filter((_id, index) => contacts[index]?.segments.includes(id));
  let matches = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (raw) => {
      const parsed = parseCondition(raw);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
      const asked = { projectId: project, now };
      const segmentMembership = (id: string, bind: Bind) => `c.id = any(${bind(members(id))}::uuid[])`;
      const [found, foundAtOnce] = await Promise.all(
        (['few', 'all'] as const).map(async (reach) => {
          const compiled = compileCondition(parsed.condition, { ...asked, reach, segmentMembership }, [
            project,
          ]);
          const rows = await audienceQuery(
            em(),
            reach,
            z.object({ id: z.uuid() }),
            `select c.id from contacts c where c.project_id = $1 and ${compiled.sql}`,
            compiled.parameters,
          );
          return new Set(rows.map((row) => row.id));
        }),
      );
      if (found === undefined) return;
      expect(foundAtOnce).toEqual(found);
      matches += found.size;
      const windows = countingWindows(parsed.condition);
      const disagreeing = contacts.filter((_contact, index) => {
        const known = withTimesOf(windows, inMemory[index] ?? never());
        return evaluateCondition(parsed.condition, known, now) !== found.has(ids[index] ?? '');
      });
      expect(disagreeing).toEqual([]);
    }),
    { numRuns: treeCount, endOnFailure: true },
  );
  // Neither all nor none: the filters hit some contacts.
  expect(matches).toBeGreaterThan(treeCount * contactCount * 0.1);
  expect(matches).toBeLessThan(treeCount * contactCount * 0.9);
});

it('lower-cases every letter as Postgres does', async () => {
  const points = Array.from({ length: 0x10ffff }, (_, index) => index + 1).filter(
    (point) => point < 0xd800 || point > 0xdfff,
  );
  const letters = points
    .map((point) => String.fromCodePoint(point))
    .filter((one) => /\p{L}|\p{N}|\p{M}|\p{S}/u.test(one));
  const [row] = await sql<{ folded: string }>('select lower($1::text collate "pg_c_utf8") as folded', [
    letters.join(''),
  ]);
  const folded = Array.from(row?.folded ?? '');
  expect(letters.filter((one, index) => foldCase(one) !== folded[index])).toEqual([]);
});

/** A contact with only the times that a loader has to read. */
function withTimesOf(windows: ReadonlyMap<string, number>, contact: ConditionContact): ConditionContact {
  const events = [...contact.events].map(([name, history]) => {
    const from = now.getTime() - (windows.get(name) ?? Number.NEGATIVE_INFINITY);
    return [name, { ...history, times: history.times.filter((time) => time.getTime() >= from) }] as const;
  });
  return { ...contact, events: new Map(events) };
}

function never(): never {
  throw new Error('There is a contact for every index');
}
