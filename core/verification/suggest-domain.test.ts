import freeProviders from 'email-providers/all.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../addresses/email-address.ts';
import { isDisposableDomain } from './disposable-domains.ts';
import { isFreeProvider } from './free-providers.ts';
import { isRelayDomain } from './relay-domains.ts';
import { suggestDomain } from './suggest-domain.ts';
import { leadingProviders, otherProviders } from './well-known-providers.ts';

const wellKnown = [...leadingProviders, ...otherProviders];

describe('the suggested domain', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gamil.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['gmaill.com', 'gmail.com'],
    ['gmsil.com', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.cmo', 'gmail.com'],
    ['gmail.comm', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['yaho.com', 'yahoo.com'],
    ['otulook.com', 'outlook.com'],
    ['hotmial.com', 'hotmail.com'],
    ['hotmail.cm', 'hotmail.com'],
    ['outlok.com', 'outlook.com'],
    ['iclod.com', 'icloud.com'],
    ['yahooo.co.uk', 'yahoo.co.uk'],
  ])('of %s is %s, although mail may arrive there', (typed, meant) => {
    expect(suggestDomain(typed, true)).toBe(meant);
    expect(suggestDomain(typed, false)).toBe(meant);
  });

  it.each([
    ['gamil.con', 'gmail.com'],
    ['hotmaiil.cmo', 'hotmail.com'],
    ['hotmaal.con', 'hotmail.com'],
    ['outtlokk.com', 'outlook.com'],
    ['aol.con', 'aol.com'],
    ['gmx.dee', 'gmx.de'],
    ['comcas.net', 'comcast.net'],
    ['prontomail.com', 'protonmail.com'],
    ['telenet.bee', 'telenet.be'],
  ])('of %s, where no mail can arrive, is %s', (typed, meant) => {
    expect(suggestDomain(typed, false)).toBe(meant);
    expect(suggestDomain(typed, true)).toBeUndefined();
  });

  it.each([
    // Legitimate domains of others, one letter away.
    ...['cloud.com', 'mail.com', 'email.com', 'ymail.com', 'gmx.dk', 'zoro.com', 'me.net', 'live.se'],
    ...['yahoo.com.ru', 'liberto.it', 'oranges.fr', 'proto2mail.com', 'gmail.de', 'hotmail.se', 'alive.it'],
    ...['duck.com', 'shop.example', 'mail.gmail.com', 'xn--gmal-nza.com'],
  ])('is none for %s, which takes mail', (typed) => {
    expect(suggestDomain(typed, true)).toBeUndefined();
  });

  it('is never another one for a common provider', () => {
    for (const domain of wellKnown) {
      expect(suggestDomain(domain, true), domain).toBeUndefined();
      expect(suggestDomain(domain, false), domain).toBeUndefined();
    }
  });

  it('is another one for only a few free providers, all of them misspellings', () => {
    const mistaken = freeProviders.filter(
      (domain) => !isDisposableDomain(domain) && suggestDomain(domain, true) !== undefined,
    );
    expect(mistaken.toSorted()).toEqual([
      ...['gamil.com', 'gmai.com', 'gmail.co', 'gmail.om', 'gmal.com', 'homail.com', 'hotmail.cm'],
      ...['hotmail.con', 'hotmails.com', 'yaho.com', 'yahoo.om'],
    ]);
  });

  it('is found for any single typo after the first letter of a leading provider', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(
        fc.constantFrom(...leadingProviders),
        fc.nat(),
        letter,
        fc.constantFrom('drop', 'double', 'swap', 'replace'),
        (meant, at, other, slip) => {
          const label = meant.slice(0, meant.indexOf('.'));
          const from = 1 + (at % (label.length - 1));
          const rest = { drop: '', double: label.slice(from, from + 1).repeat(2), swap: '', replace: other };
          const swapped = `${label[from + 1] ?? ''}${label[from] ?? ''}${label.slice(from + 2)}`;
          const typed =
            slip === 'swap'
              ? label.slice(0, from) + swapped
              : label.slice(0, from) + rest[slip] + label.slice(from + 1);
          const domain = typed + meant.slice(meant.indexOf('.'));
          if (wellKnown.includes(domain)) return;
          expect(suggestDomain(domain, true), domain).toBe(meant);
        },
      ),
    );
  });
});

describe('the lists', () => {
  it('hold well-formed domains, each once', () => {
    for (const domain of wellKnown) expect(parseDomainName(domain)).toBe(domain);
    expect(new Set(wellKnown).size).toBe(wellKnown.length);
  });

  it('call no common provider disposable or a relay', () => {
    expect(wellKnown.filter((domain) => isDisposableDomain(domain) || isRelayDomain(domain))).toEqual([]);
    expect(wellKnown.filter((domain) => !isFreeProvider(domain))).toEqual([]);
  });

  it.each([
    [isDisposableDomain, 'mailinator.com', true],
    [isDisposableDomain, 'any.mailinator.com', true],
    [isDisposableDomain, 'shop-mailinator.com', false],
    [isDisposableDomain, 'mailinator.com.shop.example', false],
    [isDisposableDomain, 'com', false],
    [isRelayDomain, 'privaterelay.appleid.com', true],
    [isRelayDomain, 'appleid.com', false],
    [isRelayDomain, 'ada.anonaddy.com', true],
    [isRelayDomain, 'mozmail.com', true],
    [isFreeProvider, 'posteo.de', true],
    [isFreeProvider, 'yopmail.com', false],
    [isFreeProvider, 'example.com', false],
    [isFreeProvider, 'shop.example', false],
  ])('%o of %s is %s', (isOfKind, domain, expected) => {
    expect(isOfKind(domain)).toBe(expected);
  });
});
