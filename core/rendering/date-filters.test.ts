import fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { describe, expect, it } from 'vitest';
import { renderTemplate } from './testing/render-template.ts';

const now = new Date('2024-05-01T10:20:30.456Z');

const render = (source: string, values = {}) => renderTemplate(source, values, { now });

describe('dates', () => {
  it.each([
    ['{{ "now" | date: "%Y-%m-%d %H:%M:%S.%L" }}', '2024-05-01 10:20:30.456'],
    ['{{ "today" | date: "%A, %B %-d, %Y" }}', 'Wednesday, May 1, 2024'],
    ['{{ "now" | date }}', 'Wednesday, May 1, 2024 at 10:20 am +0000'],
    [
      '{{ "now" | date: "%c|%x|%X|%D|%F|%T|%R|%r" }}',
      'Wed May  1 10:20:30 2024|05/01/24|10:20:30|05/01/24|2024-05-01|10:20:30|10:20|10:20:30 AM',
    ],
    ['{{ "now" | date: "%Z %z %:z" }}', 'UTC +0000 +00:00'],
    ['{{ "now" | date: "%H:%M %Z %z", "Europe/Vienna" }}', '12:20 Europe/Vienna +0200'],
    ['{{ "2024-01-01" | date: "%F %H:%M %z", "America/New_York" }}', '2023-12-31 19:00 -0500'],
    ['{{ "now" | date: "%H:%M %z", "Asia/Kathmandu" }}', '16:05 +0545'],
    ['{{ "now" | date: "%H:%M %:z", -90 }}', '11:50 +01:30'],
    ['{{ "2024-05-01" | date: "%d %b" }}', '01 May'],
    ['{{ "2024-05-01T10:00:00Z" | date: "%H:%M" }}', '10:00'],
    ['{{ "2024-05-01T10:00:00+02:00" | date: "%H:%M" }}', '08:00'],
    ['{{ "2024-05-01T10:00" | date: "%H:%M" }}', '10:00'],
    ['{{ "2024-05-01 10:00:00" | date: "%H:%M" }}', '10:00'],
    ['{{ "2024-05-01 10:00:00+02:00" | date: "%H:%M" }}', '08:00'],
    ['{{ "Wed, 01 May 2024 10:00:00 -0500" | date: "%H:%M" }}', '15:00'],
    ['{{ "May 1, 2024" | date: "%F %H:%M" }}', '2024-05-01 00:00'],
    ['{{ "Wed, 01 May 2024 10:00:00 GMT" | date: "%F %H:%M" }}', '2024-05-01 10:00'],
    ['{{ 0 | date: "%F" }} {{ "86400" | date: "%F" }}', '1970-01-01 1970-01-02'],
    ['{{ "no date" | date: "%F" }}|{{ missing | date: "%F" }}|{{ "" | date: "%F" }}', 'no date||'],
    ['{{ missing | date: "%F" ?? "never" }}', 'never'],
    ['{{ "now" | date: "%5d|%_5d|%-d|%^a|%#p|%Q|100%" }}', '00001|    1|1|WED|am|%Q|100%'],
    ['{{ "now" | date_to_xmlschema }}', '2024-05-01T10:20:30+00:00'],
    ['{{ "now" | date_to_rfc822 }}', 'Wed, 01 May 2024 10:20:30 +0000'],
    [
      '{{ "now" | date_to_string }} {{ "now" | date_to_long_string: "ordinal", "US" }}',
      '01 May 2024 May 1st, 2024',
    ],
  ])('%s gives %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  it('do not depend on the time zone of the process', () => {
    const before = process.env.TZ;
    try {
      process.env.TZ = 'Pacific/Kiritimati';
      const source =
        '{{ "2024-05-01 10:00" | date: "%F %H:%M" }} {{ "1 May 2024" | date: "%F" }} {{ "now" | date: "%F %H" }}';
      expect(render(source)).toBe('2024-05-01 10:00 2024-05-01 2024-05-01 10');
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  it('are formatted as Liquid formats them', () => {
    const liquid = new Liquid({ timezoneOffset: 0, locale: 'en-US' });
    const directive = fc
      .tuple(
        fc.constantFrom('', '-', '_', '0', '^', '#', '-^'),
        fc.constantFrom('', '2', '6'),
        fc.constantFrom(...'aAbBCdeHIjklLmMNpPsSuUwWyY'),
      )
      .map((parts) => `%${parts.join('')}`);
    const format = fc.array(fc.oneof(directive, fc.constantFrom(' ', '-', 'x', '%!')), { maxLength: 5 });
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(format, date, (parts, instant) => {
        const values = { d: instant.toISOString(), f: parts.join('|') };
        expect(render('{{ d | date: f }}', values)).toBe(
          liquid.parseAndRenderSync('{{ d | date: f }}', values),
        );
      }),
      { numRuns: 500 },
    );
  });
});
