import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityMailFromAttributesCommand,
} from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestSes, type TestSes } from '../../local/ses/testing/test-ses.ts';
import { createSesAccountClient } from '../email/ses-client.ts';
import { type DnsServer, startDnsServer } from '../testing/dns-server.ts';
import { startHttpServer } from '../testing/http-server.ts';
import { createRecordLookup } from './dns-lookup.ts';
import { type AddedDomain, type DomainIdentities, ForeignIdentity, recordKey } from './domain-identities.ts';
import { ownershipRecord } from './ownership-record.ts';
import { createSesIdentities } from './ses-identities.ts';
import { sesRecords } from './ses-records.ts';

const shop: AddedDomain = { id: 'shop-1', domain: 'shop.example' };
const again: AddedDomain = { id: 'shop-2', domain: 'shop.example' };
const pending: AddedDomain = { id: 'pending-1', domain: 'pending.shop.example' };
const proofKey = Buffer.alloc(32, 7);
/** The TXT record of the project that has added a domain. */
const proofOf = (domain: AddedDomain) => {
  const { type, name, value } = ownershipRecord(proofKey, domain);
  return { type, name, value };
};
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
let dns: DnsServer;
beforeEach(async () => {
  dns = await startDnsServer();
});
afterEach(() => dns.close());

async function start(): Promise<{ local: TestSes; identities: DomainIdentities }> {
  const local = await startTestSes();
  const client = createSesAccountClient({ region: 'us-east-1', endpoint: local.ses.url, credentials });
  return {
    local,
    identities: createSesIdentities(
      client,
      { region: 'us-east-1', isReceiving: false },
      createRecordLookup([dns.address]),
      'here',
      proofKey,
    ),
  };
}

const seen = (local: TestSes, domain: string) =>
  local.client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));

describe('sender domains as SES identities', () => {
  it('registers a domain with DKIM and a MAIL FROM host, twice the same', async () => {
    const { local, identities } = await start();
    const first = await identities.register(shop);
    expect(first.dkimTokens).toHaveLength(3);
    expect(await identities.register(shop)).toEqual(first);
    expect(await seen(local, 'shop.example')).toMatchObject({
      DkimAttributes: { Tokens: first.dkimTokens },
      MailFromAttributes: { MailFromDomain: 'bounce.shop.example', BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' },
    });
  });

  it('registers a domain for many at once', async () => {
    const { identities } = await start();
    const answers = await Promise.all(Array.from({ length: 5 }, () => identities.register(shop)));
    expect(new Set(answers.map(({ dkimTokens }) => dkimTokens.join())).size).toBe(1);
  });

  it('says which records SES and DNS have seen', async () => {
    const { identities } = await start();
    const { dkimTokens } = await identities.register(shop);
    const wanted = identities.wantedRecords(shop, dkimTokens);
    dns.records = [
      { type: 'TXT', name: 'bounce.shop.example', value: 'v=spf1 include:amazonses.com -all' },
      proofOf(shop),
    ];
    expect(await identities.check(shop, dkimTokens)).toEqual({
      verified: true,
      found: wanted.filter(({ purpose }) => purpose !== 'DMARC').map(recordKey),
      others: {},
      dkimTokens,
    });
  });

  it('shows what DNS has while SES is still waiting', async () => {
    const { identities } = await start();
    const { dkimTokens } = await identities.register(pending);
    const first = identities.wantedRecords(pending, dkimTokens).find(({ type }) => type === 'CNAME');
    if (first === undefined) throw new Error('No records are wanted');
    const host = { type: 'MX' as const, name: 'bounce.pending.shop.example', value: 'mail.shop.example' };
    dns.records = [{ type: 'CNAME', name: first.name, value: first.value }, host];
    expect(await identities.check(pending, dkimTokens)).toEqual({
      verified: false,
      found: [recordKey(first)],
      others: { [`MX ${host.name} MAIL_FROM`]: ['10 mail.shop.example'] },
      dkimTokens,
    });
  });

  it('finds a DKIM record that was entered as TXT', async () => {
    const { identities } = await start();
    const { dkimTokens } = await identities.register(pending);
    const dkim = identities.wantedRecords(pending, dkimTokens).find(({ type }) => type === 'CNAME');
    if (dkim === undefined) throw new Error('No records are wanted');
    dns.records = [{ type: 'TXT', name: dkim.name, value: dkim.value }];
    expect((await identities.check(pending, dkimTokens)).found).toEqual([
      recordKey({ ...dkim, type: 'TXT' }),
    ]);
  });

  it('re-registers a domain that was removed at SES, with its new tokens', async () => {
    const { local, identities } = await start();
    dns.records = [proofOf(shop)];
    const old = await identities.register(shop);
    await local.client.send(new DeleteEmailIdentityCommand({ EmailIdentity: 'shop.example' }));
    const check = await identities.check(shop, old.dkimTokens);
    const identity = await seen(local, 'shop.example');
    expect(check.dkimTokens).toEqual(identity.DkimAttributes?.Tokens);
    expect(check.dkimTokens).not.toEqual(old.dkimTokens);
    expect(check.verified).toBe(true);
    expect(identity.MailFromAttributes?.MailFromDomain).toBe('bounce.shop.example');
  });

  it('restores a MAIL FROM host that was removed, and keeps one that an operator chose', async () => {
    const { local, identities } = await start();
    const { dkimTokens } = await identities.register(shop);
    const setMailFrom = (MailFromDomain: string | undefined) =>
      local.client.send(
        new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity: 'shop.example', MailFromDomain }),
      );
    const mailFrom = async () => (await seen(local, 'shop.example')).MailFromAttributes?.MailFromDomain;
    await setMailFrom(undefined);
    await identities.check(shop, dkimTokens);
    expect(await mailFrom()).toBe('bounce.shop.example');
    await setMailFrom('mail.shop.example');
    await identities.check(shop, dkimTokens);
    await identities.register(shop);
    expect(await mailFrom()).toBe('mail.shop.example');
  });

  it('restarts the MAIL FROM set-up when SES has given up on it, and deletes no domain that can send', async () => {
    let isRestarted = false;
    const methods = new Set<string>();
    const server = await startHttpServer(({ method, path, body }, response) => {
      methods.add(method);
      if (method === 'PUT' && path.endsWith('/mail-from')) {
        isRestarted = JSON.parse(body).MailFromDomain === 'bounce.shop.example';
        return response.end('{}');
      }
      const MailFromDomainStatus = isRestarted ? 'PENDING' : 'FAILED';
      return response.end(
        JSON.stringify({
          VerifiedForSendingStatus: true,
          DkimAttributes: { Status: 'FAILED', Tokens: ['a'] },
          MailFromAttributes: { MailFromDomain: 'bounce.shop.example', MailFromDomainStatus },
          Tags: [{ Key: 'posthaste-installation', Value: 'here' }],
        }),
      );
    });
    const client = createSesAccountClient({ region: 'us-east-1', endpoint: server.url, credentials });
    const identities = createSesIdentities(
      client,
      { region: 'us-east-1', isReceiving: false },
      createRecordLookup([dns.address]),
      'here',
      proofKey,
    );
    expect(await identities.check({ ...shop, needsProof: false }, ['a'])).toMatchObject({ verified: true });
    expect(isRestarted).toBe(true);
    expect([...methods]).toEqual(['GET', 'PUT']);
    await server.close();
  });

  it('removes a domain, known or not', async () => {
    const { local, identities } = await start();
    await identities.register(shop);
    await identities.remove(shop.domain);
    await identities.remove(shop.domain);
    await expect(seen(local, 'shop.example')).rejects.toThrow('does not exist');
  });

  it('is verified for the project whose TXT record is there, whatever SES says of the name', async () => {
    const { identities } = await start();
    const first = await identities.register(shop);
    expect(await identities.register(again)).toEqual(first);
    expect(await identities.check(shop, [])).toMatchObject({ verified: false });
    dns.records = [proofOf(again)];
    expect(await identities.check(shop, [])).toMatchObject({ verified: false });
    expect(await identities.check(again, [])).toMatchObject({ verified: true });
    dns.records = [];
    expect(await identities.check(again, [])).toMatchObject({ verified: false });
    expect(await identities.check({ ...again, needsProof: false }, [])).toMatchObject({ verified: true });
  });

  it('recreates the identity for a new claim when SES no longer checks its records', async () => {
    const { local, identities } = await start();
    const failing: AddedDomain = { id: 'failing-1', domain: 'failing.shop.example' };
    const old = await identities.register(failing);
    const { dkimTokens } = await identities.register({ ...failing, id: 'failing-2' });
    expect(dkimTokens).not.toEqual(old.dkimTokens);
    expect((await seen(local, failing.domain)).DkimAttributes?.Tokens).toEqual(dkimTokens);
  });

  it('recreates the identity at a check too, so that its records can still be verified', async () => {
    const { local, identities } = await start();
    dns.records = [proofOf(shop)];
    const old = await identities.register(shop);
    await local.control('PUT', '/api/identities/shop.example', { status: 'failed' });
    const { verified, dkimTokens } = await identities.check(shop, old.dkimTokens);
    expect(verified).toBe(true);
    expect(dkimTokens).not.toEqual(old.dkimTokens);
    const identity = await seen(local, 'shop.example');
    expect(identity.DkimAttributes?.Tokens).toEqual(dkimTokens);
    expect(identity.MailFromAttributes?.MailFromDomain).toBe('bounce.shop.example');
  });

  it.each([
    ['an operator', []],
    ['another installation', [{ Key: 'posthaste-installation', Value: 'elsewhere' }]],
  ])('takes over no identity of %s, though it is verified', async (_who, Tags) => {
    const { local, identities } = await start();
    await local.client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'shop.example', Tags }));
    const before = await seen(local, 'shop.example');
    expect(before.VerifiedForSendingStatus).toBe(true);
    await expect(identities.register(shop)).rejects.toThrow(ForeignIdentity);
    expect(await identities.check(shop, [])).toMatchObject({ verified: false });
    await identities.remove(shop.domain);
    expect(await seen(local, 'shop.example')).toMatchObject({
      DkimAttributes: before.DkimAttributes,
      Tags: before.Tags,
    });
  });

  it('reports nothing about a domain that SES has verified while DNS is silent, and counts that as no record otherwise', async () => {
    dns.behavior = 'silent';
    const { identities } = await start();
    const { dkimTokens } = await identities.register(shop);
    await expect(identities.check(shop, dkimTokens)).rejects.toThrow('_posthaste.shop.example');
    await identities.register(pending);
    expect(await identities.check(pending, [])).toMatchObject({ verified: false, found: [] });
    dns.questions.splice(0);
    const check = await identities.check({ ...shop, needsProof: false }, dkimTokens);
    // None waits for the one before, which would be asked a second time in between.
    const records = new Set(dns.questions);
    expect(records.size).toBeGreaterThan(2);
    expect(new Set(dns.questions.slice(0, records.size))).toEqual(records);
    expect(check.verified).toBe(true);
    expect(check.found.some((key) => key.endsWith('DMARC'))).toBe(false);
  });

  it('fails when SES does not answer', async () => {
    const server = await startHttpServer((_request, response) => response.writeHead(400).end());
    const client = createSesAccountClient({ region: 'us-east-1', endpoint: server.url, credentials });
    const identities = createSesIdentities(
      client,
      { region: 'us-east-1', isReceiving: false },
      createRecordLookup([dns.address]),
      'here',
      proofKey,
    );
    await expect(identities.check(shop, [])).rejects.toThrow();
    await expect(identities.register(shop)).rejects.toThrow();
    await server.close();
  });
});

describe('the records that SES requires', () => {
  it('name the region, in DKIM only where SES has a domain per region', () => {
    expect(sesRecords('shop.example', ['t1'], { region: 'eu-west-1', isReceiving: false })).toEqual([
      { type: 'CNAME', name: 't1._domainkey.shop.example', value: 't1.dkim.amazonses.com', purpose: 'DKIM' },
      {
        type: 'MX',
        name: 'bounce.shop.example',
        value: 'feedback-smtp.eu-west-1.amazonses.com',
        priority: 10,
        purpose: 'MAIL_FROM',
      },
      {
        type: 'TXT',
        name: 'bounce.shop.example',
        value: 'v=spf1 include:amazonses.com ~all',
        purpose: 'SPF',
      },
      { type: 'TXT', name: '_dmarc.shop.example', value: 'v=DMARC1; p=none;', purpose: 'DMARC' },
    ]);
    expect(sesRecords('shop.example', ['t1'], { region: 'eu-south-1', isReceiving: false })[0]?.value).toBe(
      't1.dkim.eu-south-1.amazonses.com',
    );
  });
});
