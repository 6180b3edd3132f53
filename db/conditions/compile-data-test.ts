import type { DataTest, Operand, Predicate } from '../../core/conditions/condition.ts';
import { type DateText, dayOf, instantBefore } from '../../core/conditions/date-text.ts';
import type { Bind } from './bind.ts';
import { comparisonSql } from './comparison-sql.ts';
import { dataValueSql } from './data-value.ts';

/**
 * The dates of `isDateText` (core/contact-data) as a regular expression: days of 31, 30 and 28, then the 29th of
 * February of leap years. No lookahead and no capture, so that Postgres runs it as a plain automaton.
 */
const dateForm = (() => {
  const day31 = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])';
  const day30 = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)';
  const day28 = '02-(?:0[1-9]|1[0-9]|2[0-8])';
  const byFour = '(?:0[48]|[2468][048]|[13579][26])';
  const leapYear = `(?:[0-9]{2}${byFour}|${byFour}00)`;
  const time = 'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{3})?Z';
  return `^(?:[0-9]{4}-(?:${day31}|${day30}|${day28})|${leapYear}-02-29)(?:${time})?$`;
})();

/** A test of a value in `data`; the value's type is looked at, never cast. */
export function compileDataTest(
  { key, path, test }: Extract<Predicate, { subject: 'data' }>,
  now: Date,
  bind: Bind,
): string {
  return testSql(dataValueSql(key, path, bind), test, now, bind);
}

function testSql(value: string, test: DataTest, now: Date, bind: Bind): string {
  const text = `((${value} #>> '{}') collate "C")`;
  switch (test.is) {
    case 'present':
      return `${value} <> 'null'::jsonb`;
    case 'containing': {
      const folded = `lower((${value} #>> '{}') collate "pg_c_utf8")`;
      return `jsonb_typeof(${value}) = 'string' and strpos(${folded}, ${bind(test.text)}::text) > 0`;
    }
    case 'within':
      return dateSql(value, text, `${instantOf(text)} >= ${bind(instantBefore(now, test.ms))}::text`);
    case 'olderThan':
      return dateSql(value, text, `${instantOf(text)} < ${bind(instantBefore(now, test.ms))}::text`);
    case 'equal':
      return equalSql(value, text, test.value, bind);
    case 'compared': {
      const operator = comparisonSql[test.by];
      switch (test.value.type) {
        case 'number':
          // Two jsonb numbers compare as numeric.
          return `jsonb_typeof(${value}) = 'number' and ${value} ${operator} ${bind(JSON.stringify(test.value.value))}::jsonb`;
        case 'string':
          return `jsonb_typeof(${value}) = 'string' and ${text} ${operator} ${bind(test.value.value)}::text and not ${isDate(text)}`;
        case 'date':
          return dateSql(
            value,
            text,
            `${instantOf(text)} ${operator} ${bind(test.value.value.instant)}::text`,
          );
      }
    }
  }
}

function equalSql(value: string, text: string, operand: Operand, bind: Bind): string {
  if (operand.type !== 'date') return `${value} = ${bind(JSON.stringify(operand.value))}::jsonb`;
  return dateSql(value, text, isSameDateSql(text, operand.value, bind));
}

function isSameDateSql(text: string, { instant, isDay }: DateText, bind: Bind): string {
  const isSameDay = `left(${text}, 10) = ${bind(dayOf(instant))}::text`;
  if (isDay) return isSameDay;
  return `${isSameDay} and (length(${text}) = 10 or ${instantOf(text)} = ${bind(instant)}::text)`;
}

/** The comparison comes first: it is cheaper than the form, and on what is no date its answer does not count. */
function dateSql(value: string, text: string, comparison: string): string {
  return `jsonb_typeof(${value}) = 'string' and ${comparison} and ${isDate(text)}`;
}

function isDate(text: string): string {
  return `(${text} ~ '${dateForm}' and left(${text}, 4) <> '0000')`;
}

/** The canonical instant of a date (`DateText`). */
function instantOf(text: string): string {
  return `(case length(${text}) when 10 then ${text} || 'T00:00:00.000Z' when 20 then left(${text}, 19) || '.000Z' else ${text} end)`;
}
