import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer, type TestRecord } from '../testing/dns-server.ts';
import { createDomainFacts } from './domain-facts.ts';

let server: DnsServer;
beforeEach(async () => {
  server = await startDnsServer();
});
afterEach(() => server.close());

const domain = 'shop.example';
const ns: TestRecord = { type: 'NS', name: domain, value: 'ns1.host.example' };
const mx: TestRecord = { type: 'MX', name: domain, value: 'mail.shop.example' };
const nullMx: TestRecord = { type: 'MX', name: domain, value: '' };
const a: TestRecord = { type: 'A', name: domain, value: '192.0.2.1' };
const aaaa: TestRecord = { type: 'AAAA', name: domain, value: '2001:db8::1' };
const look = (name = domain) => createDomainFacts([server.address])(name);

const facts = (words: string) => ({
  domainExists: words.includes('exists'),
  hasWebsite: words.includes('website'),
  hasMxRecords: words.includes('mail'),
  refusesMail: words.includes('refuses'),
  isBroken: words.includes('broken'),
});

describe('what DNS says of a domain', () => {
  it.each<[string, TestRecord[], string]>([
    ['everything', [ns, mx, a, aaaa], 'exists, website, mail'],
    ['MX alone', [ns, mx], 'exists, mail'],
    ['an IPv4 address', [ns, a], 'exists, website'],
    ['an IPv6 address', [ns, aaaa], 'exists, website'],
    ['a null MX', [ns, nullMx, a], 'exists, website, refuses'],
    ['a null MX beside another, which RFC 7505 forbids', [ns, nullMx, mx], 'exists, mail'],
    ['name servers alone', [ns], 'exists'],
    ['nothing', [], ''],
  ])('reads %s', async (_what, records, expected) => {
    server.records = records;
    expect(await look()).toEqual(facts(expected));
  });

  it('asks for the name servers of the registered domain and for the mail servers of the whole one', async () => {
    server.records = [
      { ...ns, name: 'shop.co.uk' },
      { ...mx, name: 'mail.eu.shop.co.uk' },
    ];
    expect(await look('mail.eu.shop.co.uk')).toEqual(facts('exists, mail'));
    expect(server.questions.toSorted()).toEqual([
      'A mail.eu.shop.co.uk',
      'AAAA mail.eu.shop.co.uk',
      'MX mail.eu.shop.co.uk',
      'NS shop.co.uk',
    ]);
  });

  it('distinguishes a domain whose servers are broken from one that does not exist', async () => {
    server.behavior = 'broken';
    expect(await look()).toEqual(facts('broken'));
  });

  it.each(['silent', 'refusing'] as const)(
    'returns nothing when DNS is %s, and asks again the next time',
    async (behavior) => {
      const lookUp = createDomainFacts([server.address]);
      server.behavior = behavior;
      expect(await lookUp(domain)).toBeUndefined();
      server.behavior = 'answering';
      server.records = [ns, mx];
      expect(await lookUp(domain)).toEqual(facts('exists, mail'));
    },
  );

  it.each<[string, TestRecord[], string | undefined]>([
    ['MX', [ns, a], undefined],
    ['A', [ns, mx], undefined],
    ['A', [ns, mx, aaaa], 'exists, website, mail'],
    ['AAAA', [ns, mx, a], 'exists, website, mail'],
    ['AAAA', [ns, mx], undefined],
    ['NS', [ns, mx], 'exists, mail'],
    ['NS', [ns, a], 'exists, website'],
    ['NS', [], undefined],
  ])('without an answer for %s beside %o says %s', async (type, records, expected) => {
    server.refused.add(`${type} ${domain}`);
    server.records = records;
    expect(await look()).toEqual(expected && facts(expected));
  });

  it('asks again when packets are lost', async () => {
    server.records = [ns, mx, a];
    server.behavior = 'drop-first';
    expect(await look()).toEqual(facts('exists, website, mail'));
  });

  it('asks once for concurrent lookups, and caches the answer', async () => {
    server.records = [ns, mx, a];
    const lookUp = createDomainFacts([server.address]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => lookUp(domain)));
    expect(await lookUp(domain)).toEqual(facts('exists, website, mail'));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(server.questions).toHaveLength(4);
  });

  it('refuses an invalid server address', () => {
    expect(() => createDomainFacts(['dns.example'])).toThrow();
  });
});
