const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const millisecondsPerDay = 86_400_000;
/** Characters of one padded field; a format can't blow up the output. */
const maxFieldWidth = 100;

/** An instant and the wall clock on which it is shown. */
export interface ZonedTime {
  instant: Date;
  /** East of Greenwich. */
  offsetMinutes: number;
  zoneName: string;
}

interface Field {
  text: string | number;
  width?: number;
  pad?: '0' | ' ';
}

type Conversion = (wall: Date, time: ZonedTime, flags: string, width: number) => Field | string;

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

const conversions: Readonly<Record<string, Conversion>> = {
  a: (wall) => name(weekdays, wall.getUTCDay()).slice(0, 3),
  A: (wall) => name(weekdays, wall.getUTCDay()),
  b: (wall) => name(months, wall.getUTCMonth()).slice(0, 3),
  B: (wall) => name(months, wall.getUTCMonth()),
  C: (wall) => number(Math.floor(wall.getUTCFullYear() / 100), 2),
  d: (wall) => number(wall.getUTCDate(), 2),
  e: (wall) => number(wall.getUTCDate(), 2, ' '),
  h: (wall) => name(months, wall.getUTCMonth()).slice(0, 3),
  H: (wall) => number(wall.getUTCHours(), 2),
  I: (wall) => number(wall.getUTCHours() % 12 || 12, 2),
  j: (wall) => number(dayOfYear(wall), 3),
  k: (wall) => number(wall.getUTCHours(), 2, ' '),
  l: (wall) => number(wall.getUTCHours() % 12 || 12, 2, ' '),
  L: (wall) => number(wall.getUTCMilliseconds(), 3),
  m: (wall) => number(wall.getUTCMonth() + 1, 2),
  M: (wall) => number(wall.getUTCMinutes(), 2),
  N: (wall, _time, _flags, width) => {
    const digits = String(wall.getUTCMilliseconds()).padStart(3, '0');
    return digits.slice(0, width || 9).padEnd(width || 9, '0');
  },
  p: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: (wall) => (wall.getUTCHours() < 12 ? 'am' : 'pm'),
  q: (wall) => ordinalSuffix(wall.getUTCDate()),
  s: (_wall, time) => number(Math.floor(time.instant.getTime() / 1000), 0),
  S: (wall) => number(wall.getUTCSeconds(), 2),
  u: (wall) => number(wall.getUTCDay() || 7, 0),
  U: (wall) => number(weekOfYear(wall, 0), 2),
  w: (wall) => number(wall.getUTCDay(), 0),
  W: (wall) => number(weekOfYear(wall, 1), 2),
  y: (wall) => number(((wall.getUTCFullYear() % 100) + 100) % 100, 2),
  Y: (wall) => number(wall.getUTCFullYear(), 4),
  z: (_wall, time, flags) => offsetText(time.offsetMinutes, flags.includes(':')),
  Z: (_wall, time) => time.zoneName,
  t: () => '\t',
  n: () => '\n',
  '%': () => '%',
};

/**
 * Formats a time by the directives of Ruby's strftime, in English, with the flags `-`, `_`, `0`, `^`, `#`, `:`
 * and a width. What is not a directive stays as it is.
 */
export function formatTime(time: ZonedTime, format: string): string {
  const wall = new Date(time.instant.getTime() + time.offsetMinutes * 60_000);
  return format.replace(
    /%([-_0^#:]{0,4})(\d{0,3})([A-Za-z%])/g,
    (directive, flags: string, width: string, code: string) => {
      const composition = compositions[code];
      if (composition) return formatTime(time, composition);
      const conversion = conversions[code];
      if (!conversion) return directive;
      const size = Math.min(Number(width), maxFieldWidth);
      const field = conversion(wall, time, flags, size);
      return padded(typeof field === 'string' ? { text: field } : field, flags, size);
    },
  );
}

function padded(field: Field, flags: string, width: number): string {
  let text = String(field.text);
  if (flags.includes('^')) text = text.toUpperCase();
  else if (flags.includes('#')) text = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  if (flags.includes('-')) return text;
  let pad: string = field.pad ?? (typeof field.text === 'number' ? '0' : ' ');
  if (flags.includes('_')) pad = ' ';
  else if (flags.includes('0')) pad = '0';
  const target = width || (field.width ?? 0);
  if (pad === '0' && text.startsWith('-')) return `-${text.slice(1).padStart(target - 1, '0')}`;
  return text.padStart(target, pad);
}

function number(text: number, width: number, pad: '0' | ' ' = '0'): Field {
  return { text, width, pad };
}

function name(names: readonly string[], index: number): string {
  return names[index] ?? '';
}

function dayOfYear(wall: Date): number {
  const newYear = new Date(0);
  newYear.setUTCFullYear(wall.getUTCFullYear(), 0, 1);
  return Math.floor((wall.getTime() - newYear.getTime()) / millisecondsPerDay) + 1;
}

/** Days before the first start day of the year belong to week 0. */
function weekOfYear(wall: Date, startDay: number): number {
  const daysSinceStart = (wall.getUTCDay() - startDay + 7) % 7;
  return Math.floor((dayOfYear(wall) - 1 - daysSinceStart + 7) / 7);
}

function ordinalSuffix(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[day % 10] ?? 'th';
}

function offsetText(offsetMinutes: number, colon: boolean): string {
  const distance = Math.abs(offsetMinutes);
  const hours = String(Math.floor(distance / 60)).padStart(2, '0');
  const minutes = String(distance % 60).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${minutes}`;
}
