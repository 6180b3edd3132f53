import { type FilterImplOptions, filters, toValue } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { parseAnyInstant, validDate } from '../parse-instant.ts';
import { type RenderContext, renderContextOf } from './render-context.ts';

export type FilterHandler = Extract<FilterImplOptions, (...parameters: never[]) => unknown>;
type Self = ThisParameterType<FilterHandler>;

const maxDateLength = 64;
const defaultFormat = '%A, %B %-e, %Y at %-l:%M %P %z';
const compositions: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
/** Budget for each directive that liquidjs formats with its own `Intl.DateTimeFormat`, which takes 50 µs. */
const localizedCost = 1000;
const zoneClocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 64 });
const zoneCost = 1000;

/**
 * liquidjs's `date`, always in UTC and English, with the directives that it lacks. `now` is the time of the
 * rendering. A time zone is a name, or minutes west of Greenwich.
 */
function date(this: Self, value: unknown, format?: unknown, zone?: unknown): unknown {
  const context = renderContextOf(this.context);
  const instant = toInstant(toValue(value), context.now);
  const handler = filters.date;
  if (instant === undefined || typeof handler !== 'function') return value;
  const isNamed = typeof zone === 'string' && zone !== '';
  const offset = isNamed ? minutesWest(zone, instant, context) : zone || 0;
  let text = typeof format === 'string' ? format : defaultFormat;
  context.budget.spend(30 + 20 * text.length);
  text = replaceDirectives(text, compositions);
  if (/%[aAbBhZ]/.test(text)) {
    const wall = new Date(instant.getTime() - Number(offset) * 60_000);
    const [dayName = '', monthName = ''] = [weekdays[wall.getUTCDay()], months[wall.getUTCMonth()]];
    const [a, b] = [dayName.slice(0, 3), monthName.slice(0, 3)];
    const zoneName = isNamed ? zone : offset === 0 ? 'UTC' : undefined;
    text = replaceDirectives(text, { a, A: dayName, b, B: monthName, h: b, Z: zoneName });
  }
  context.budget.spend(localizedCost * (text.match(/%[-_0^#:]*\d*[EO]?[aAbBh]/g)?.length ?? 0));
  return handler.call(this, instant, text, offset);
}

function replaceDirectives(format: string, texts: Readonly<Record<string, string | undefined>>): string {
  return format.replace(/%([A-Za-z%])/g, (directive, code: string) => texts[code] ?? directive);
}

const dateAs = (format: string): FilterHandler =>
  function (this: Self, value: unknown) {
    return date.call(this, value, format);
  };

const day = (month: string): FilterHandler =>
  function (this: Self, value: unknown, type?: unknown, style?: unknown) {
    if (type !== 'ordinal') return date.call(this, value, `%d ${month} %Y`);
    return date.call(this, value, style === 'US' ? `${month} %-d%q, %Y` : `%-d%q ${month} %Y`);
  };

export const dateFilters: Readonly<Record<string, FilterHandler>> = {
  date,
  date_to_xmlschema: dateAs('%Y-%m-%dT%H:%M:%S%:z'),
  date_to_rfc822: dateAs('%a, %d %b %Y %H:%M:%S %z'),
  date_to_string: day('%b'),
  date_to_long_string: day('%B'),
};

/** Numbers and digits are seconds since 1970; a time without a zone is UTC. */
function toInstant(value: unknown, now: Date): Date | undefined {
  if (typeof value === 'number') return validDate(value * 1000);
  if (typeof value !== 'string' || value.length > maxDateLength) return undefined;
  const text = value.trim();
  if (text === 'now' || text === 'today') return now;
  if (/^\d+$/.test(text)) return validDate(Number(text) * 1000);
  // A birthday may have no year.
  return parseAnyInstant(text);
}

/** liquidjs accepts zone names too, but creates two clocks (50 µs each) for each date. */
function minutesWest(zone: string, instant: Date, context: RenderContext): number {
  let clock = zoneClocks.get(zone);
  if (!clock) {
    context.budget.spend(zoneCost);
    clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    zoneClocks.set(zone, clock);
  }
  const [, sign = '-', hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(clock.format(instant)) ?? [];
  return (sign === '+' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
