import { expect, it } from 'vitest';
import { parseDateText } from '../../core/conditions/date-text.ts';
import { compareCodePoints } from '../../core/conditions/text-order.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { bindInto } from '../sql.ts';
import { compareDateSql, isDateSql } from './date-sql.ts';

const { sql } = useTestDatabase(2);

/** The texts for which the SQL over `t` is true. */
async function matching(
  texts: readonly string[],
  condition: string,
  parameters: unknown[],
): Promise<string[]> {
  const rows = await sql<{ t: string }>(
    `select t from (select u collate "C" as t from unnest($1::text[]) with ordinality as list(u, n) order by n) texts
     where ${condition}`,
    [texts, ...parameters],
  );
  return rows.map((row) => row.t);
}

const text = '(t collate "C")';
const two = (value: number) => String(value).padStart(2, '0');
const forms = [
  '2024-02-29',
  '2023-12-31T23:59:59Z',
  '2000-10-05T09:08:07.654Z',
  '2000-10-05T09:08:07.654321-12:34',
  '2023-12-31T23:59:59+14:00',
];
const strange = ['0', '1', '6', '9', ' ', 'x', 'T', 'Z', '-', '+', ':', '.', '\n', '１', '٣'];

/** Every text that differs from a date in one place or in two adjacent places. */
const nearDates = forms.flatMap((form) =>
  Array.from(form, (_letter, index) => index).flatMap((index) => [
    form.slice(0, index) + form.slice(index + 1),
    ...strange.flatMap((one) => [
      form.slice(0, index) + one + form.slice(index),
      form.slice(0, index) + one + form.slice(index + 1),
      ...strange.map((other) => form.slice(0, index) + one + other + form.slice(index + 2)),
    ]),
  ]),
);

const days = ['0000', '0001', '1900', '2000', '2023', '2024', '2100', '9999'].flatMap((year) =>
  Array.from({ length: 14 }, (_, month) => month).flatMap((month) =>
    Array.from({ length: 33 }, (_, day) => `${year}-${two(month)}-${two(day)}`),
  ),
);
const times = Array.from({ length: 100 }, (_, value) => two(value)).flatMap((value) => [
  `2024-03-10T${value}:00:00Z`,
  `2024-03-10T23:${value}:00Z`,
  `2016-12-31T23:59:${value}Z`,
  `2016-12-31T23:59:${value}.000Z`,
  `2024-03-10T${value}:00:00+02:00`,
  `2024-03-10T23:${value}:00+02:00`,
  `2016-12-31T23:59:${value}+02:00`,
  `2024-03-10T12:00:00+${value}:00`,
  `2024-03-10T12:00:00-00:${value}`,
]);
const edges = ['+', '-'].flatMap((sign) =>
  ['00:00', '00:01', '23:59'].flatMap((offset) =>
    ['0000-12-31T23:59:59', '0001-01-01T00:00:00', '9999-12-31T23:59:59', '9999-12-31T00:01:00'].flatMap(
      (local) => [`${local}${sign}${offset}`, `${local}.999999999${sign}${offset}`],
    ),
  ),
);

it('recognizes the same dates as the evaluation in memory', async () => {
  const offsetDays = days.map((day) => `${day}T00:00:00+00:30`);
  const texts = [...new Set([...forms, ...nearDates, ...days, ...offsetDays, ...times, ...edges])];
  const found = await matching(texts, isDateSql(text), []);
  expect(found).toEqual(texts.filter((one) => parseDateText(one) !== undefined));
  expect(found.length).toBeGreaterThan(2_000);
});

it.each(['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual'] as const)(
  'compares dates of all lengths by their instant: %s',
  async (by) => {
    const texts = ['2024-03-09', '2024-03-10', '2024-03-11'].flatMap((day) => [
      day,
      ...['00:00:00', '00:00:01', '23:59:59'].flatMap((time) => [
        `${day}T${time}Z`,
        `${day}T${time}.000Z`,
        `${day}T${time}.001Z`,
        `${day}T${time}.999Z`,
        `${day}T${time}.999999999Z`,
        `${day}T${time}+00:00`,
        `${day}T${time}.001000+23:59`,
        `${day}T${time}.9-01:30`,
      ]),
    ]);
    const instantOf = (date: string) => parseDateText(date)?.instant ?? '';
    const holds = (difference: number) =>
      (difference === 0 && by.endsWith('OrEqual')) ||
      (by.startsWith('greater') ? difference > 0 : difference < 0);
    for (const bound of new Set(texts.map(instantOf))) {
      const parameters: unknown[] = [texts];
      const condition = compareDateSql(text, by, bound, bindInto(parameters));
      const expected = texts.filter((one) => holds(compareCodePoints(instantOf(one), bound)));
      expect(await matching(texts, condition, parameters.slice(1))).toEqual(expected);
    }
  },
);
