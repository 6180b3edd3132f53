import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer, type TestRecord } from '../testing/dns-server.ts';
import { createDnsIdentities } from './dns-identities.ts';
import { createRecordLookup } from './dns-lookup.ts';
import type { AddedDomain, DomainIdentities } from './domain-identities.ts';

let server: DnsServer;
let identities: DomainIdentities;
const key = randomBytes(32);
beforeEach(async () => {
  server = await startDnsServer();
  identities = createDnsIdentities(key, createRecordLookup([server.address]));
});
afterEach(() => server.close());

const shop: AddedDomain = { id: 'shop-1', domain: 'shop.example' };
const other: AddedDomain = { id: 'other-1', domain: 'other.example' };

function proofOf(domain: AddedDomain, by = identities) {
  const proof = by.wantedRecords(domain, []).find((record) => record.purpose === 'OWNERSHIP');
  if (proof === undefined) throw new Error('No proof is wanted');
  return proof;
}

describe('sender domains by DNS alone', () => {
  it('requires a stable proof that differs by domain, by who has added it and by secret', () => {
    expect(proofOf(shop)).toEqual(proofOf(shop));
    expect(proofOf(shop).name).toBe('_posthaste.shop.example');
    const others = [
      proofOf(other),
      proofOf({ ...shop, id: 'shop-2' }),
      proofOf(
        shop,
        createDnsIdentities(randomBytes(32), async () => []),
      ),
    ];
    for (const { value } of others) expect(value).not.toBe(proofOf(shop).value);
  });

  it('verifies a domain whose owner set the proof, and only that', async () => {
    const { type, name, value } = proofOf(shop);
    server.records = [{ type, name, value }];
    expect(await identities.register(shop)).toEqual({ dkimTokens: [] });
    expect(await identities.check(shop, [])).toEqual({
      verified: true,
      found: ['TXT _posthaste.shop.example OWNERSHIP'],
      others: {},
      dkimTokens: [],
    });
    server.records = [{ type: 'TXT', name: '_posthaste.other.example', value }];
    expect(await identities.check(other, [])).toMatchObject({ verified: false, found: [] });
  });

  it('does not require the DMARC policy, but finds it', async () => {
    const { type, name, value } = proofOf(shop);
    server.records = [
      { type, name, value },
      { type: 'TXT', name: '_dmarc.shop.example', value: 'v=DMARC1; p=quarantine' },
    ];
    const { found } = await identities.check(shop, []);
    expect(found).toEqual(['TXT _posthaste.shop.example OWNERSHIP', 'TXT _dmarc.shop.example DMARC']);
  });

  it('finds records that were entered with the domain twice, without the subdomain or with another type', async () => {
    const mail: AddedDomain = { id: 'mail-1', domain: 'mail.shop.example' };
    const { type, name, value } = proofOf(mail);
    const policy = { type: 'TXT' as const, name: `_dmarc.${mail.domain}`, value: 'v=DMARC1; p=none;' };
    const foundWith = async (...records: TestRecord[]) => {
      server.records = records;
      return (await identities.check(mail, [])).found;
    };
    for (const appended of ['shop.example', mail.domain])
      expect(await foundWith({ type, name: `${name}.${appended}`, value })).toEqual([
        `TXT ${name}.${appended} OWNERSHIP`,
      ]);
    expect(await foundWith({ type, name: '_posthaste.shop.example', value })).toEqual([
      'TXT _posthaste.shop.example OWNERSHIP',
    ]);
    expect(await foundWith({ ...policy, name: '_dmarc.shop.example' })).toEqual([]);
    expect(await foundWith({ ...policy, name: `${policy.name}.shop.example` })).toEqual([
      `TXT ${policy.name}.shop.example DMARC`,
    ]);
    server.questions.length = 0;
    await foundWith({ type, name, value }, policy);
    expect(server.questions).toHaveLength(2);
  });

  it('unverifies when the proof is gone', async () => {
    expect(await identities.check(shop, [])).toEqual({
      verified: false,
      found: [],
      others: {},
      dkimTokens: [],
    });
  });

  it('reports nothing while DNS is broken', async () => {
    server.behavior = 'broken';
    await expect(identities.check(shop, [])).rejects.toThrow('_posthaste.shop.example');
  });

  it('has nothing to remove', async () => {
    await identities.remove(shop.domain);
  });
});
