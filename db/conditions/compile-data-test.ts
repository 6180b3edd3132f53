import type { DataTest, Operand, Predicate } from '../../core/conditions/condition.ts';
import { instantBefore } from '../../core/conditions/date-text.ts';
import { tryParseJson } from '../../core/json-value.ts';
import type { Bind } from '../sql.ts';
import { comparisonSql } from './comparison-sql.ts';
import { dataTextSql, dataValueSql } from './data-value.ts';
import { compareDateSql, isDateSql, isSameDateSql } from './date-sql.ts';

/** Reads of a nested value from which a subquery that looks it up once is cheaper than a look-up for each read. */
const manyReads = 5;

/**
 * Tests a value in `data` by its type, without casts. A single `case`, or subquery, on purpose: Postgres evaluates
 * the cheap part first, and the planner does not estimate the parts. Without statistics on keys of `data` it would expect almost no
 * matches and sort the whole project for one page.
 */
export function compileDataTest(
  { key, path, test }: Extract<Predicate, { subject: 'data' }>,
  now: Date,
  bind: Bind,
): string {
  const value = dataValueSql(key, path, bind);
  if (path.length === 1) {
    return `case when ${testSql(value, dataTextSql(value, path), test, now, bind)} then true else false end`;
  }
  const onFound = testSql('found.value', dataTextSql('found.value', path), test, now, bind);
  if (onFound.split('found.value').length > manyReads) {
    return `(select ${onFound} from (select ${value} as value offset 0) found)`;
  }
  return `case when ${onFound.replaceAll('found.value', () => value)} then true else false end`;
}

function testSql(value: string, plainText: string, test: DataTest, now: Date, bind: Bind): string {
  const text = `(${plainText} collate "C")`;
  const isString = `jsonb_typeof(${value}) = 'string'`;
  switch (test.is) {
    case 'present':
      return `${value} <> 'null'::jsonb`;
    case 'containing':
      return `${isString} and strpos(lower(${plainText} collate "pg_c_utf8"), ${bind(test.text)}::text) > 0`;
    case 'within':
      return compareDateSql(text, 'greaterThanOrEqual', instantBefore(now, test.ms), bind);
    case 'olderThan':
      return compareDateSql(text, 'lessThan', instantBefore(now, test.ms), bind);
    case 'equal':
      return equalSql(value, text, test.value, bind);
    case 'oneOf':
      return `${value} = any(${bind(test.values.map((one) => JSON.stringify(one)))}::jsonb[])`;
    case 'compared':
      switch (test.value.type) {
        case 'number':
          // jsonb numbers compare as numeric.
          return `jsonb_typeof(${value}) = 'number'
            and ${value} ${comparisonSql[test.by]} ${bind(JSON.stringify(test.value.value))}::jsonb`;
        case 'string':
          return `${text} ${comparisonSql[test.by]} ${bind(test.value.value)}::text and ${isString}
            and not ${isDateSql(text)}`;
        case 'date':
          return compareDateSql(text, test.by, test.value.value.instant, bind);
      }
  }
}

function equalSql(value: string, text: string, operand: Operand, bind: Bind): string {
  if (operand.type === 'date') return isSameDateSql(text, operand.value, bind);
  if (operand.type === 'string' && !isJson(operand.value)) return `${text} = ${bind(operand.value)}::text`;
  return `${value} = ${bind(JSON.stringify(operand.value))}::jsonb`;
}

/**
 * Whether a value of another type may have this text. For all other texts, the text alone is compared, in half the
 * time.
 */
const isJson = (text: string) => tryParseJson(text) !== undefined;
