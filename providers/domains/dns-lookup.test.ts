import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer, type TestRecord } from '../testing/dns-server.ts';
import { createRecordLookup } from './dns-lookup.ts';
import type { DnsRecord } from './domain-identities.ts';

let server: DnsServer;
beforeEach(async () => {
  server = await startDnsServer();
});
afterEach(() => server.close());

const cname: DnsRecord = {
  type: 'CNAME',
  name: 'token._domainkey.shop.example',
  value: 'token.dkim.amazonses.com',
  purpose: 'DKIM',
};
const mx: DnsRecord = {
  type: 'MX',
  name: 'bounce.shop.example',
  value: 'feedback-smtp.us-east-1.amazonses.com',
  priority: 10,
  purpose: 'MAIL_FROM',
};
const spf: DnsRecord = {
  type: 'TXT',
  name: 'bounce.shop.example',
  value: 'v=spf1 include:amazonses.com ~all',
  purpose: 'SPF',
};
const dmarc: DnsRecord = {
  type: 'TXT',
  name: '_dmarc.shop.example',
  value: 'v=DMARC1; p=none;',
  purpose: 'DMARC',
};
const inbound: DnsRecord = {
  type: 'MX',
  name: 'shop.example',
  value: 'inbound-smtp.us-east-1.amazonaws.com',
  priority: 10,
  purpose: 'INBOUND',
};
const proof: DnsRecord = {
  type: 'TXT',
  name: '_posthaste.shop.example',
  value: 'posthaste-verification=AbC_-1',
  purpose: 'OWNERSHIP',
};

async function look(record: DnsRecord, ...there: TestRecord[]) {
  server.records = there;
  const [sighting] = await createRecordLookup([server.address])([record]);
  return sighting;
}

describe('looking up DNS records', () => {
  it.each<[string, DnsRecord, TestRecord['value'][]]>([
    ['a CNAME', cname, ['token.dkim.amazonses.com']],
    ['a CNAME in capitals and with a dot', cname, ['TOKEN.dkim.AmazonSES.com.']],
    ['an MX record', mx, ['feedback-smtp.us-east-1.amazonses.com']],
    [
      'the MX record of incoming email',
      inbound,
      ['inbound-smtp.us-east-1.amazonaws.com', 'spare.shop.example'],
    ],
    ['SPF as suggested', spf, ['v=spf1 include:amazonses.com ~all']],
    ['SPF in strings', spf, [['v=spf1 include:', 'amazonses.com ~all']]],
    ['SPF of its own, among others', spf, ['note', 'V=SPF1 ip4:192.0.2.1 include:AMAZONSES.com -all']],
    ['a DMARC policy of its own', dmarc, ['v=DMARC1; p=reject; rua=mailto:d@shop.example']],
    ['a proof among other texts', proof, ['hello', 'posthaste-verification=AbC_-1', 'x'.repeat(200)]],
  ])('finds %s', async (_what, record, values) => {
    const there = values.map((value) => ({ type: record.type, name: record.name, value }));
    expect(await look(record, ...there)).toBe('found');
  });

  it.each<[string, DnsRecord, TestRecord['value'][]]>([
    ['another CNAME', cname, ['token.dkim.amazonses.com.evil.example']],
    ['another MX record', mx, ['mail.shop.example']],
    ['a second MX record', mx, ['feedback-smtp.us-east-1.amazonses.com', 'mail.shop.example']],
    ['MX records of another host', inbound, ['mail.shop.example']],
    ['SPF without SES', spf, ['v=spf1 include:amazonses.com.evil.example ~all']],
    ['SPF of another name', spf, ['v=spf1 include:xamazonses.com ~all']],
    ['SPF against SES', spf, ['v=spf1 -include:amazonses.com ~all']],
    ['no SPF', spf, ['x v=spf1 include:amazonses.com']],
    ['no DMARC policy', dmarc, ['v=DMARC12; p=none', 'hello']],
    ['a proof in other case', proof, ['posthaste-verification=abc_-1']],
    ['a longer text than the proof', proof, ['posthaste-verification=AbC_-1x']],
    ['nothing', proof, []],
  ])('misses %s', async (_what, record, values) => {
    const there = values.map((value) => ({ type: record.type, name: record.name, value }));
    const isMx = record.type === 'MX';
    const others = values.map((value) => (isMx ? `10 ${value}` : value));
    expect(await look(record, ...there)).toEqual(values.length === 0 ? 'missing' : { others });
  });

  it('says what is there instead, as far as people read it and Postgres can hold it', async () => {
    const there = (value: string) => ({ type: 'TXT' as const, name: proof.name, value });
    const first = `a\0b\nc ${'x'.repeat(200)}`;
    const sighting = await look(
      proof,
      there(first),
      there(first),
      ...Array.from({ length: 9 }, (_, n) => there(`other ${n}`)),
    );
    expect(sighting).toEqual({
      others: [`ab c ${'x'.repeat(200)}`, 'other 0', 'other 1', 'other 2', 'other 3'],
    });
  });

  it('misses a record of another type at the name', async () => {
    expect(await look(spf, { type: 'MX', name: spf.name, value: mx.value })).toBe('missing');
  });

  it('reads an answer that is too long for UDP', async () => {
    const fillers = Array.from({ length: 40 }, (_, index) => ({
      type: 'TXT' as const,
      name: proof.name,
      value: `${index} ${'x'.repeat(100)}`,
    }));
    expect(await look(proof, ...fillers, { type: 'TXT', name: proof.name, value: proof.value })).toBe(
      'found',
    );
    expect(server.questions.length).toBeGreaterThan(1);
  });

  it('answers in the order of the records', async () => {
    server.records = [{ type: 'MX', name: mx.name, value: mx.value }];
    expect(await createRecordLookup([server.address])([cname, mx, spf, dmarc])).toEqual([
      'missing',
      'found',
      'missing',
      'missing',
    ]);
  });

  it('asks again when a packet is lost', async () => {
    server.behavior = 'drop-first';
    expect(await look(proof, { type: 'TXT', name: proof.name, value: proof.value })).toBe('found');
  });

  it.each(['broken', 'refusing'] as const)(
    'knows no state of a record from a DNS that is %s',
    async (behavior) => {
      server.behavior = behavior;
      expect(await look(proof, { type: 'TXT', name: proof.name, value: proof.value })).toBe('unanswered');
    },
  );

  it('is done in 2.5 seconds when no server ever answers', async () => {
    server.behavior = 'silent';
    const others = await Promise.all([startDnsServer(), startDnsServer()]);
    for (const other of others) other.behavior = 'silent';
    const lookup = createRecordLookup([server, ...others].map(({ address }) => address));
    expect(await lookup([cname, mx, spf, dmarc, proof])).toEqual(Array(5).fill('unanswered'));
    // Each server is tried for a second, and once more after the last of them.
    const asked = [server, ...others].reduce((sum, { questions }) => sum + questions.length, 0);
    expect(asked).toBeLessThanOrEqual(3 * 5);
    for (const other of others) await other.close();
  });

  it('refuses an invalid server address', () => {
    expect(() => createRecordLookup(['dns.example'])).toThrow();
  });
});
