import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import { describe, expect, it } from 'vitest';
import { formatMailbox } from './mailbox.ts';

function decodeWords(text: string): string {
  const bytes = [...text.matchAll(/=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=/g)].map((match) =>
    Buffer.from(match[1] ?? '', 'base64'),
  );
  // Each word must hold whole characters by itself.
  for (const word of bytes) expect(word.toString('utf8')).not.toContain('\ufffd\ufffd');
  return bytes.length === 0 ? text : Buffer.concat(bytes).toString('utf8');
}

describe('formatMailbox', () => {
  it.each([
    [undefined, 'a@x.io'],
    [null, 'a@x.io'],
    ['  ', 'a@x.io'],
    ['Ada Lovelace', 'Ada Lovelace <a@x.io>'],
    ['Acme, Inc.', '"Acme, Inc." <a@x.io>'],
    ['The "best" \\ shop', '"The \\"best\\" \\\\ shop" <a@x.io>'],
    ['a@b.io', '"a@b.io" <a@x.io>'],
    ['x <evil@x.io>', '"x <evil@x.io>" <a@x.io>'],
    ['Zoë', '=?UTF-8?B?Wm/Dqw==?= <a@x.io>'],
    ['=?UTF-8?B?ZXZpbA==?=', '=?UTF-8?B?PT9VVEYtOD9CP1pYWnBiQT09Pz0=?= <a@x.io>'],
    ['a\r\nBcc: b@x.io\0', '"a Bcc: b@x.io" <a@x.io>'],
  ])('writes %j as %s', (name, expected) => {
    expect(formatMailbox({ email: 'a@x.io', name })).toBe(expected);
  });

  it('breaks a long name into encoded words of at most 75 characters', () => {
    const written = formatMailbox({ email: 'a@x.io', name: '汉'.repeat(60) });
    const words = written.match(/=\?\S*\?=/g) ?? [];
    expect(words.length).toBeGreaterThan(3);
    for (const word of words) expect(word.length).toBeLessThanOrEqual(75);
    expect(decodeWords(written)).toBe('汉'.repeat(60));
  });

  it.each([
    ['a'.repeat(310), 'a@x.io', 311],
    ['汉'.repeat(100), 'a@x.io', 50],
    ['👩‍🚀'.repeat(60), 'a@x.io', 30],
    ['a '.repeat(150), `${'n'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.io`, 60],
    ['"'.repeat(300), 'a@x.io', 100],
  ])('cuts a long name, as SES takes at most 320 characters: %s for %s', (name, email, atLeast) => {
    const written = formatMailbox({ email, name });
    expect(written.length).toBeLessThanOrEqual(320);
    const shown = decodeWords(written.slice(0, -` <${email}>`.length)).replace(/^"|"$|\\/g, '');
    expect(name.startsWith(shown)).toBe(true);
    expect(shown.length).toBeGreaterThanOrEqual(Math.min(atLeast, name.length));
  });

  it('is one line of printable ASCII that a mail reader can parse', () => {
    const names = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(names, (name) => {
        const written = formatMailbox({ email: 'a@x.io', name });
        expect(written).toMatch(/^[ -~]+$/);
        for (const word of written.match(/=\?\S*\?=/g) ?? []) expect(word.length).toBeLessThanOrEqual(75);
        const read = addressparser(written);
        expect(read).toHaveLength(1);
        const [mailbox] = read;
        expect(mailbox).toMatchObject({ address: 'a@x.io' });
        const plain = name
          .replace(/\p{Cc}+/gu, ' ')
          .toWellFormed()
          .trim();
        const shown = mailbox && 'name' in mailbox ? decodeWords(mailbox.name) : undefined;
        expect(shown?.replace(/\s+/g, ' ').trim()).toBe(plain.replace(/\s+/g, ' ').trim());
      }),
      { numRuns: 500 },
    );
  });
});
