import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHeaderIssues, isOwnedHeader, maxCustomHeaders } from './custom-headers.ts';
import { encodeHeaderText, sanitizeHeaderValue } from './header-text.ts';

describe('custom headers', () => {
  it('accepts ordinary headers', () => {
    expect(
      findHeaderIssues({
        'X-Order': '42',
        'In-Reply-To': '<a@x.io>',
        References: '<a@x.io>',
        'List-Unsubscribe': '<mailto:u@x.io>',
        'X-Name': 'Zoë',
        'X-Empty': '',
        'X-Long': 'v'.repeat(998),
        'X-Pairs': '😀'.repeat(998),
      }),
    ).toEqual([]);
  });

  it.each([
    [{ 'X-A': 'a\r\nBcc: b@x.io' }, 'headers.X-A', 'invalid_string'],
    [{ 'X-A': 'a\n' }, 'headers.X-A', 'invalid_string'],
    [{ 'X-A': '\r' }, 'headers.X-A', 'invalid_string'],
    [{ 'X-A': 'a\0' }, 'headers.X-A', 'invalid_string'],
    [{ 'X-A\r\nBcc': 'b' }, 'headers.X-A\r\nBcc', 'invalid_string'],
    [{ 'X A': 'b' }, 'headers.X A', 'invalid_string'],
    [{ 'X-A:': 'b' }, 'headers.X-A:', 'invalid_string'],
    [{ 'X-Ä': 'b' }, 'headers.X-Ä', 'invalid_string'],
    [{ '': 'b' }, 'headers.', 'too_small'],
    [{ [`X-${'a'.repeat(125)}`]: 'b' }, `headers.X-${'a'.repeat(125)}`, 'too_big'],
    [{ 'X-A': 'v'.repeat(999) }, 'headers.X-A', 'too_big'],
    [{ 'X-A': '😀'.repeat(999) }, 'headers.X-A', 'too_big'],
    [{ 'X-A': '1', 'x-a': '2' }, 'headers.x-a', 'duplicate_header'],
    [{ bCc: 'b@x.io' }, 'headers.bCc', 'reserved_header'],
  ])('refuses %j', (headers, field, code) => {
    expect(findHeaderIssues(headers)).toEqual([expect.objectContaining({ field, code })]);
  });

  it.each([
    'From',
    'To',
    'Cc',
    'Bcc',
    'Subject',
    'Date',
    'Message-ID',
    'Reply-To',
    'Sender',
    'Return-Path',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'content-disposition',
    'Received',
    'DKIM-Signature',
    'ARC-Seal',
    'Resent-To',
    'X-SES-Configuration-Set',
    'X-SES-MESSAGE-TAGS',
    'x-amz-foo',
    'Feedback-ID',
  ])('keeps %s for the platform', (name) => {
    expect(isOwnedHeader(name)).toBe(true);
  });

  it('bounds their number', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'v']));
    expect(findHeaderIssues(many(maxCustomHeaders))).toEqual([]);
    expect(findHeaderIssues(many(maxCustomHeaders + 1))).toEqual([
      expect.objectContaining({ field: 'headers', code: 'too_big' }),
    ]);
  });

  it('lets no header pass that could start another line', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ':', ' ', '\r', '\n', '\0', 'é', 'X') });
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 3 }), (headers) => {
        if (findHeaderIssues(headers).length > 0) return;
        for (const [name, value] of Object.entries(headers)) {
          expect(name).toMatch(/^[!-9;-~]+$/);
          expect(value).not.toMatch(/[\r\n\0]/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('rendered header values', () => {
  it.each([
    ['a\r\nBcc: b@x.io', 'a Bcc: b@x.io'],
    ['\0a\0b\n', 'a b'],
    ['tab\there', 'tab here'],
    ['half \ud83d pair', 'half \ufffd pair'],
    ['plain', 'plain'],
  ])('makes %j safe', (value, expected) => {
    expect(sanitizeHeaderValue(value)).toBe(expected);
  });

  it.each([
    ['Zoë <news.example.com>', '=?UTF-8?B?Wm/Dqw==?= <news.example.com>'],
    ['=?UTF-8?B?YQ==?= <a@x.io>', '=?UTF-8?B?PT9VVEYtOD9CP1lRPT0/PQ==?= <a@x.io>'],
    ['a <zoë@x.io>', '=?UTF-8?B?YSA8em/Dq0B4LmlvPg==?='],
    ['a <=?UTF-8?B?YQ==?=>', '=?UTF-8?B?YSA8PT9VVEYtOD9CP1lRPT0/PT4=?='],
    ['"Zoe" <news.example.com>', '"Zoe" <news.example.com>'],
  ])('encodes %s as %s', (value, expected) => {
    expect(encodeHeaderText(value)).toBe(expected);
  });

  it('cuts at 998 characters, of which a pair is one', () => {
    expect(sanitizeHeaderValue('x'.repeat(1200))).toHaveLength(998);
    expect(sanitizeHeaderValue('😀'.repeat(998))).toBe('😀'.repeat(998));
    expect(sanitizeHeaderValue(`x${'😀'.repeat(998)}`)).toBe(`x${'😀'.repeat(997)}`);
  });

  it('never holds CR, LF or NUL, whatever came in', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2000 }),
        fc.integer({ min: 1, max: 998 }),
        (value, max) => {
          const line = sanitizeHeaderValue(value, max);
          expect(line).not.toMatch(/\p{Cc}/u);
          expect(line.isWellFormed()).toBe(true);
          expect([...line].length).toBeLessThanOrEqual(max);
          expect(sanitizeHeaderValue(line, max)).toBe(line);
          expect(encodeHeaderText(value)).toMatch(/^[ -~]*$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
