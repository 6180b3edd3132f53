import type { Comparison } from '../../core/conditions/condition.ts';
import type { DateText } from '../../core/conditions/date-text.ts';
import type { Bind } from '../sql.ts';
import { comparisonSql } from './comparison-sql.ts';

/** Whether a text is a date (`parseDateText`). Every `text` in this file is SQL with the collation "C". */
export function isDateSql(text: string): string {
  return byForm(text, isUtcFormSql(text), `${otherFormInstantSql(text)} is not null`);
}

export function compareDateSql(text: string, by: Comparison, instant: string, bind: Bind): string {
  const comparison = comparisonSql[by];
  const [day, second] = [instant.slice(0, 10), `${instant.slice(0, 19)}Z`];
  // Texts are compared as they are, so the bound is cut to the length of the text. Where the cut removes more than
  // zeros, an appended "~" sorts the bound after the text.
  const cut = (bound: string, isExact: boolean) => bind(isExact ? bound : `${bound}~`);
  const utc = `${text} ${comparison} case length(${text})
    when 24 then ${bind(instant)}::text
    when 20 then ${cut(second, instant.endsWith('.000Z'))}::text
    else ${cut(day, instant.endsWith('T00:00:00.000Z'))}::text end and ${isUtcFormSql(text)}`;
  return byForm(text, utc, `${otherFormInstantSql(text)} ${comparison} ${bind(instant)}::timestamp`);
}

export function isSameDateSql(text: string, { instant, isDay }: DateText, bind: Bind): string {
  const day = instant.slice(0, 10);
  if (isDay) {
    // Only "T" can follow the day.
    const utc = `${text} >= ${bind(day)}::text and ${text} < ${bind(`${day}U`)}::text and ${isUtcFormSql(text)}`;
    return byForm(text, utc, `date_trunc('day', ${otherFormInstantSql(text)}) = ${bind(day)}::timestamp`);
  }
  const second = instant.endsWith('.000Z') ? [`${instant.slice(0, 19)}Z`] : [];
  const utc = `${text} = any(${bind([instant, day, ...second])}::text[])`;
  return byForm(text, utc, `${otherFormInstantSql(text)} = ${bind(instant)}::timestamp`);
}

/** The instant of a text as a UTC timestamp; null unless it is a date. */
export function dateInstantSql(text: string): string {
  const utc = `case when ${isUtcFormSql(text)} then rtrim(${text}, 'Z')::timestamp end`;
  return byForm(text, utc, otherFormInstantSql(text));
}

function byForm(text: string, utc: string, rest: string): string {
  return `(case when length(${text}) in (10, 20, 24) then ${utc} else ${rest} end)`;
}

/**
 * Whether a text is a UTC date or date-time (`isDateText` in core/contact-data). Checks the punctuation, then that
 * every other character is a digit (each is next to punctuation or another tested position), then lets Postgres check
 * that the day exists. Postgres would also accept 24:00:00 and a leap second. A single regular expression takes six
 * times as long; texts that fail the comparison never get here.
 */
function isUtcFormSql(text: string): string {
  return `(case when ${text} like '____-__-__T__:__:__.___Z' or ${text} like '____-__-__'
      or ${text} like '____-__-__T__:__:__Z'
    then ${text} !~ '[^0-9][^0-9]|^.{0,3}[^0-9]|[-.][0-9][^0-9]' and pg_input_is_valid(${text}, 'timestamptz')
      and ${text} not like '___________24%' and ${text} not like '_________________6%'
    else false end)`;
}

const dateTimeForm =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\\.[0-9]{1,9})?' +
  '(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$';

/**
 * A date-time in any other form as a UTC timestamp, otherwise null. Only valid text is cast. The offset is subtracted
 * because Postgres rejects offsets beyond 15:59.
 */
function otherFormInstantSql(text: string): string {
  const local = `(case when ${text} like '___________________.%' then substring(${text} from '^.{20}[0-9]{1,3}')
    else left(${text}, 19) end)::timestamp`;
  const offset = `(case when ${text} like '%Z' then '0' else right(${text}, 6) end)::interval`;
  const utc = `${local} - ${offset}`;
  return `(case when ${text} like '____-__-__T__:__:__%' and ${text} ~ '${dateTimeForm}'
      and pg_input_is_valid(left(${text}, 10), 'date')
    then case when ${text} >= '0001-01-02' and ${text} < '9999-12-31'
      or ${utc} >= '0001-01-01' and ${utc} < '10000-01-01' then ${utc} end end)`;
}
