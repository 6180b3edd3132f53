import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../new-id.ts';
import { findEventNameFormIssue, findEventNameIssue, segmentEventName } from '../reserved-events.ts';
import { segmentSlug, withIdSuffix } from './slug.ts';

const id = '0190a1b2-0000-7000-8000-0000deadbeef';

describe('the slug of a segment', () => {
  it.each([
    ['VIP Customers', 'vip-customers'],
    ['  --Big   spenders!! ', 'big-spenders'],
    ['Café & Größe', 'cafe-große'],
    ['Új ügyfelek 2026', 'uj-ugyfelek-2026'],
    ['Новые Клиенты Йода', 'новые-клиенты-йода'],
    ['東京 ガールズ', '東京-ガールズ'],
    ['İstanbul', 'istanbul'],
    ['a.b_c/d', 'a-b-c-d'],
    ['😀 !', 'segment-deadbeef'],
    ['', 'segment-deadbeef'],
  ])('of %j is %s', (name, slug) => {
    expect(segmentSlug(name, id)).toBe(slug);
  });

  it('has letters, digits and single hyphens only, and forms event names that only the service can emit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
        const slug = segmentSlug(name, newId());
        expect(slug).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(-[\p{L}\p{M}\p{N}]+)*$/u);
        expect(slug).toBe(slug.toLowerCase());
        const names = [slug, withIdSuffix(slug, id)].map((one) => segmentEventName(one, 'entry'));
        for (const event of names) expect(findEventNameIssue(event)?.code).toBe('reserved_event');
      }),
    );
  });

  it.each(['㍿', 'ﷺ', '\u{1d400}'.repeat(2)])(
    'is short enough for an event that starts a workflow: %s',
    (letter) => {
      const slug = segmentSlug(letter.repeat(100), id);
      expect(findEventNameFormIssue(segmentEventName(withIdSuffix(slug, id), 'entry'))).toBeUndefined();
      expect(slug).toMatch(/[\p{L}\p{M}\p{N}]$/u);
    },
  );
});
