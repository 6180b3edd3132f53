import { LRUCache } from 'lru-cache';
import type { RenderContext } from './render-context.ts';
import { formatTime, type ZonedTime } from './strftime.ts';

const maxDateLength = 64;
const defaultFormat = '%A, %B %-e, %Y at %-l:%M %P %z';
const zoneClocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 64 });
/** A clock for a time zone that was not used lately takes some 50 µs to set up. */
const zoneCost = 1000;

type DateFilter = (value: unknown, parameters: readonly unknown[], context: RenderContext) => unknown;

/**
 * Liquid's date filters: in UTC whatever the time zone of the process, in English, `now` as the rendering was
 * told. A time zone may be given by its name, or in minutes west of Greenwich. What is no date comes back
 * unchanged.
 */
export const dateFilters: Readonly<Record<string, DateFilter>> = {
  date: (value, [format, zone], context) => {
    const text = typeof format === 'string' ? format : defaultFormat;
    return formatDate(value, text, zone, context);
  },
  date_to_xmlschema: (value, _parameters, context) =>
    formatDate(value, '%Y-%m-%dT%H:%M:%S%:z', undefined, context),
  date_to_rfc822: (value, _parameters, context) =>
    formatDate(value, '%a, %d %b %Y %H:%M:%S %z', undefined, context),
  date_to_string: (value, parameters, context) => formatDay(value, '%b', parameters, context),
  date_to_long_string: (value, parameters, context) => formatDay(value, '%B', parameters, context),
};

function formatDay(
  value: unknown,
  month: string,
  [type, style]: readonly unknown[],
  context: RenderContext,
): unknown {
  if (type !== 'ordinal') return formatDate(value, `%d ${month} %Y`, undefined, context);
  const format = style === 'US' ? `${month} %-d%q, %Y` : `%-d%q ${month} %Y`;
  return formatDate(value, format, undefined, context);
}

function formatDate(value: unknown, format: string, zone: unknown, context: RenderContext): unknown {
  const instant = toInstant(value, context.now);
  if (!instant) return value;
  context.budget.spend(30 + 20 * format.length);
  return formatTime(toZonedTime(instant, zone, context), format);
}

/** Numbers and digits are seconds since 1970; a time without a zone is UTC. */
function toInstant(value: unknown, now: Date): Date | undefined {
  if (typeof value === 'number') return validDate(value * 1000);
  if (typeof value !== 'string' || value.length > maxDateLength) return undefined;
  const text = value.trim();
  if (text === 'now' || text === 'today') return now;
  if (/^\d+$/.test(text)) return validDate(Number(text) * 1000);
  const isoWithoutZone = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(text);
  if (isoWithoutZone) return validDate(Date.parse(`${isoWithoutZone[1]}T${isoWithoutZone[2]}Z`));
  if (/^\d{4}-\d\d(?:-\d\d)?(?:T.*)?$/.test(text)) return validDate(Date.parse(text));
  // Other notations are read in the zone of the process unless they name one.
  return validDate(Date.parse(`${text} UTC`)) ?? validDate(Date.parse(text));
}

function validDate(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toZonedTime(instant: Date, zone: unknown, context: RenderContext): ZonedTime {
  if (typeof zone === 'number' && Number.isFinite(zone))
    return { instant, offsetMinutes: -zone, zoneName: '' };
  if (typeof zone !== 'string' || zone === '') return { instant, offsetMinutes: 0, zoneName: 'UTC' };
  const offsetMinutes =
    (wallClock(zone, instant, context) - Math.floor(instant.getTime() / 1000) * 1000) / 60_000;
  return { instant, offsetMinutes, zoneName: zone };
}

/** What a clock in the zone shows, as if it were UTC, in milliseconds without their fraction of a second. */
function wallClock(zone: string, instant: Date, context: RenderContext): number {
  let clock = zoneClocks.get(zone);
  if (!clock) {
    context.budget.spend(zoneCost);
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    zoneClocks.set(zone, clock);
  }
  const parts = new Map(clock.formatToParts(instant).map((part) => [part.type, Number(part.value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}
