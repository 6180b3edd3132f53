import { describe, expect, it } from 'vitest';
import { parseMailbox } from './addresses.ts';
import { SesError } from './ses-error.ts';

describe('mailboxes', () => {
  it.each([
    ['ada@example.test', 'ada@example.test'],
    ['<ada@example.test>', 'ada@example.test'],
    ['Ada L. <ada+x@example.test>', 'ada+x@example.test'],
    ['"Lovelace, Ada" <ada@example.test>', 'ada@example.test'],
    ['=?UTF-8?B?w4Rk?= <ada@sub.example.test>', 'ada@sub.example.test'],
    ['"two words"@example.test', '"two words"@example.test'],
    ['a@xn--mller-kva.test', 'a@xn--mller-kva.test'],
  ])('accepts %s', (mailbox, address) => {
    expect(parseMailbox(mailbox)).toBe(address);
  });

  it.each([
    ['ada'],
    ['@example.test'],
    ['ada@'],
    ['ada@localhost'],
    ['ada@@example.test'],
    ['ada..b@example.test'],
    ['.ada@example.test'],
    ['ada b@example.test'],
    ['ada@exa mple.test'],
    ['ada@-example.test'],
    ['ada@example.test, eve@example.test'],
    ['Lovelace, Ada <ada@example.test>'],
    ['Ädä <ada@example.test>'],
    ['ädä@example.test'],
    ['ada@exämple.test'],
    ['ada@example.test\r\nBcc: eve@example.test'],
    ['Ada\n <ada@example.test>'],
    [`${'a'.repeat(65)}@example.test`],
  ])('refuses %j', (mailbox) => {
    expect(() => parseMailbox(mailbox)).toThrow(SesError);
  });
});
