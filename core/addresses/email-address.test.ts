import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  domainOfAddress,
  emailAddressSchema,
  parseDomainName,
  parseEmailAddress,
  toAddressPart,
} from './email-address.ts';

const label63 = 'a'.repeat(63);

describe('email addresses', () => {
  it.each([
    ['  Ada.Lovelace@Example.COM ', 'ada.lovelace@example.com'],
    ["o'neil+news@mail.example.co.uk", "o'neil+news@mail.example.co.uk"],
    ['a!#$%&*/=?^_`{|}~-@x.io', 'a!#$%&*/=?^_`{|}~-@x.io'],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['info@BÜCHER.Example', 'info@xn--bcher-kva.example'],
    ['info@xn--bcher-kva.example', 'info@xn--bcher-kva.example'],
    ['info@例え.テスト', 'info@xn--r8jz45g.xn--zckzah'],
    ['info@col·legi.cat', 'info@xn--collegi-xma.cat'],
    ['info@ラーメン・店.jp', 'info@xn--4dkp5a6ac7611e.jp'],
    ['info@نامه\u200cای.ir', 'info@xn--mgba3gch31f060k.ir'],
    [`${'l'.repeat(64)}@x.io`, `${'l'.repeat(64)}@x.io`],
    [`a@${label63}.${label63}.${label63}.${'b'.repeat(58)}.io`.slice(0, 260), undefined],
    [`${'l'.repeat(65)}@x.io`, undefined],
    [`a@${label63}a.io`, undefined],
    ['plain', undefined],
    ['', undefined],
    ['@x.io', undefined],
    ['a@', undefined],
    ['a@localhost', undefined],
    ['a@x..io', undefined],
    ['a@.io', undefined],
    ['a@-x.io', undefined],
    ['a@x-.io', undefined],
    ['a@x.123', undefined],
    ['a@127.0.0.1', undefined],
    ['a@[127.0.0.1]', undefined],
    ['a.@x.io', undefined],
    ['.a@x.io', undefined],
    ['a..b@x.io', undefined],
    ['"a b"@x.io', undefined],
    ['a b@x.io', undefined],
    ['a@b@x.io', undefined],
    ['Ada <ada@x.io>', undefined],
    ['a@x.io,b@x.io', undefined],
    ['a@x.io\r\nBcc: b@x.io', undefined],
    ['a\0@x.io', undefined],
    ['a@exämple.io/evil', undefined],
    ['a@exämple%2eio', undefined],
    ['a@x.io:8080', undefined],
    ['ä@x.io', undefined],
    ['\u212a@x.io', undefined],
    ['a@x_y.io', undefined],
    [`${'a'.repeat(5000)}@x.io`, undefined],
  ])('reads %j as %j', (input, expected) => {
    expect(parseEmailAddress(input)).toBe(expected);
  });

  it('gives a form that parses to itself and is safe in a header', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 40 });
    const nearAddress = fc
      .tuple(anyText, fc.constantFrom('@x.io', '@Bücher.example', '@', ' @x.io '))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), anyText, nearAddress), (input) => {
        const address = parseEmailAddress(input);
        if (address === undefined) return;
        expect(parseEmailAddress(address)).toBe(address);
        expect(parseEmailAddress(` ${address.toUpperCase()}\n`)).toBe(address);
        expect(address).toMatch(/^[!-~]+$/);
        expect(address).not.toMatch(/[<>,;:"()[\]\\]/);
        expect(address.split('@')).toHaveLength(2);
        expect(address.length).toBeLessThanOrEqual(254);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts ordinary addresses', () => {
    fc.assert(
      fc.property(fc.emailAddress({ size: 'small' }), (address) => {
        expect(parseEmailAddress(address)).toBe(address.toLowerCase());
      }),
    );
  });

  it('reads domain names alone', () => {
    expect(parseDomainName('Mail.Example.com')).toBe('mail.example.com');
    expect(parseDomainName('münchen.example')).toBe('xn--mnchen-3ya.example');
    expect(parseDomainName('example')).toBeUndefined();
    expect(parseDomainName('example.com.')).toBeUndefined();
    expect(domainOfAddress('a@mail.example.com')).toBe('mail.example.com');
  });

  it.each([
    ['Ada@Bücher.Example', 'ada@xn--bcher-kva.example'],
    ['@BÜCHER', '@xn--bcher-kva'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['Ada', 'ada'],
    ['ada@127', 'ada@127'],
    ['ada@0X7f', 'ada@0x7f'],
    ['ada@', 'ada@'],
    ['zoë', 'xn--zo-ija'],
    ['Ü/x@', 'ü/x@'],
    ['', ''],
  ])('finds %j as %j', (text, part) => {
    expect(toAddressPart(text)).toBe(part);
  });

  it.each([
    ['josé@example.com', 'Before the @, only ASCII letters are supported'],
    [' 用户@例え.テスト', 'Before the @, only ASCII letters are supported'],
    ['josé', 'Invalid email address'],
    ['josé@localhost', 'Invalid email address'],
    ['@é.com', 'Invalid email address'],
  ])('says what is wrong with %j', (input, message) => {
    expect(emailAddressSchema.safeParse(input).error?.issues).toEqual([expect.objectContaining({ message })]);
  });

  it('is a schema for requests', () => {
    expect(emailAddressSchema.parse(' A@X.io')).toBe('a@x.io');
    const refused = emailAddressSchema.safeParse('a@x');
    expect(refused.error?.issues).toEqual([
      expect.objectContaining({ code: 'invalid_format', format: 'email' }),
    ]);
  });
});
