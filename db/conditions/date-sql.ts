import type { Comparison } from '../../core/conditions/condition.ts';
import type { DateText } from '../../core/conditions/date-text.ts';
import type { Bind } from './bind.ts';
import { comparisonSql } from './comparison-sql.ts';

/**
 * Whether a text is a date (`isDateText` in core/contact-data). The punctuation first; then no other character is
 * anything but a digit, each of which has punctuation or one of the places looked at beside it; then Postgres says
 * whether the day exists. It would also take 24:00:00 and a leap second. As one regular expression it takes six
 * times as long, and only texts that pass a comparison get here at all.
 *
 * @param text SQL of a text under the collation "C"
 */
export function isDateSql(text: string): string {
  return `(case when ${text} like '____-__-__T__:__:__.___Z' or ${text} like '____-__-__'
      or ${text} like '____-__-__T__:__:__Z'
    then ${text} !~ '[^0-9][^0-9]|^.{0,3}[^0-9]|[-.][0-9][^0-9]' and pg_input_is_valid(${text}, 'timestamptz')
      and ${text} not like '___________24%' and ${text} not like '_________________6%'
    else false end)`;
}

/**
 * Compares a text that is a date with an instant, without making its canonical form: the bound is cut to the length of
 * the text. A "~" stands for what the cut took away, if it was more than zeros, and puts the bound above the text.
 */
export function compareDateSql(text: string, by: Comparison, instant: string, bind: Bind): string {
  const [day, second] = [instant.slice(0, 10), `${instant.slice(0, 19)}Z`];
  const cut = (bound: string, isExact: boolean) => bind(isExact ? bound : `${bound}~`);
  return `${text} ${comparisonSql[by]} case length(${text})
    when 24 then ${bind(instant)}::text
    when 20 then ${cut(second, instant.endsWith('.000Z'))}::text
    else ${cut(day, instant.endsWith('T00:00:00.000Z'))}::text end`;
}

/** Whether a text is a date of the same day, when one of both is a day, or else of the same instant. */
export function isSameDateSql(text: string, { instant, isDay }: DateText, bind: Bind): string {
  const day = instant.slice(0, 10);
  // Behind the day only "T" can follow.
  if (isDay)
    return `${text} >= ${bind(day)}::text and ${text} < ${bind(`${day}U`)}::text and ${isDateSql(text)}`;
  const second = instant.endsWith('.000Z') ? [`${instant.slice(0, 19)}Z`] : [];
  return `${text} = any(${bind([instant, day, ...second])}::text[])`;
}
