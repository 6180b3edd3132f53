import { describe, expect, it } from 'vitest';
import { type DomainFacts, verifyAddress } from './verify-address.ts';

const facts = (some: Partial<DomainFacts> = {}): DomainFacts => ({
  domainExists: true,
  hasWebsite: true,
  hasMxRecords: true,
  refusesMail: false,
  isBroken: false,
  ...some,
});
const gone = facts({ domainExists: false, hasWebsite: false, hasMxRecords: false });

describe('an address', () => {
  it('is valid when its domain has a mail server', () => {
    expect(verifyAddress('ada@shop.example', facts())).toEqual({
      email: 'ada@shop.example',
      valid: true,
      isDisposable: false,
      isAlias: false,
      isTypo: false,
      isPlusAddressed: false,
      isPersonalEmail: false,
      domainExists: true,
      hasWebsite: true,
      hasMxRecords: true,
      reasons: [],
    });
  });

  it.each<[string, Partial<DomainFacts>, boolean, string[]]>([
    ['MX and no address', { hasWebsite: false }, true, []],
    [
      'an address and no MX',
      { hasMxRecords: false },
      true,
      ['The domain has no mail server; mail goes to its web server'],
    ],
    ['neither', { hasMxRecords: false, hasWebsite: false }, false, ['The domain has no mail server']],
    [
      'a null MX and an address',
      { hasMxRecords: false, refusesMail: true },
      false,
      ['The domain accepts no mail (null MX)'],
    ],
    ['no records at all', gone, false, ['The domain does not exist']],
    [
      'broken name servers',
      { ...gone, isBroken: true },
      false,
      ['The name servers of the domain do not work'],
    ],
    [
      'name servers that fail for MX alone, so that senders wait',
      { hasMxRecords: false, isBroken: true },
      false,
      ['The name servers of the domain do not work'],
    ],
  ])('of a domain with %s', (_what, some, valid, reasons) => {
    expect(verifyAddress('ada@shop.example', facts(some))).toMatchObject({ valid, reasons });
  });

  it('is not valid when it is disposable, whatever DNS says', () => {
    expect(verifyAddress('ada@mailinator.com', facts())).toMatchObject({
      valid: false,
      isDisposable: true,
      isPersonalEmail: false,
      isTypo: false,
      reasons: ['The domain provides disposable addresses'],
    });
  });

  it('is not valid when it is a typo, and names what was meant', () => {
    expect(verifyAddress('ada+x@gmial.com', facts())).toMatchObject({
      valid: false,
      isTypo: true,
      isPersonalEmail: false,
      suggestedEmail: 'ada+x@gmail.com',
      reasons: [
        'The domain provides disposable addresses',
        'The domain looks like a typo of gmail.com',
        'The address has a tag after a plus sign',
      ],
    });
  });

  it('is an alias and stays valid', () => {
    expect(verifyAddress('x1@privaterelay.appleid.com', facts())).toMatchObject({
      valid: true,
      isAlias: true,
      reasons: expect.arrayContaining(['The domain belongs to a forwarding or relay service']),
    });
  });

  it.each([
    ['ada+news@gmail.com', true],
    ['ada+@gmail.com', true],
    ['+ada@gmail.com', false],
    ['ada@gmail.com', false],
  ])('%s is plus-addressed: %s', (email, isPlusAddressed) => {
    expect(verifyAddress(email, facts())).toMatchObject({
      valid: true,
      isPlusAddressed,
      isPersonalEmail: true,
    });
  });
});
