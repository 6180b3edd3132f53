import { DeleteEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { Domain } from '../../../db/entities/domain.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { startTestSes } from '../../../local/ses/testing/test-ses.ts';
import { createDnsIdentities } from '../../../providers/domains/dns-identities.ts';
import {
  createRecordLookup,
  type RecordLookup,
  type Sighting,
} from '../../../providers/domains/dns-lookup.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import { createSesIdentities } from '../../../providers/domains/ses-identities.ts';
import { createSesAccountClient } from '../../../providers/email/ses-client.ts';
import { startDnsServer } from '../../../providers/testing/dns-server.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { checkDomain } from './check-domain.ts';

const database = useTestDatabase();
const { em } = database;
const proven: Sighting = 'found';

describe('checking a sender domain', () => {
  it('records the state at the provider, including new DKIM tokens after the identity was removed there', async () => {
    const local = await startTestSes();
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = createSesAccountClient({ region: 'us-east-1', endpoint: local.ses.url, credentials });
    const proof: RecordLookup = async (records) =>
      records.map(({ purpose }) => (purpose === 'OWNERSHIP' ? proven : 'missing'));
    const identities = createSesIdentities(
      client,
      { region: 'us-east-1', isReceiving: false },
      proof,
      'here',
      Buffer.alloc(32),
    );
    const { id: projectId } = await createTestProject(database);
    const [id, domain] = [uuidv7(), 'shop.example'];
    const { dkimTokens } = await identities.register({ id, domain });
    await em().insert(Domain, { id, projectId, domain, dkimTokens });

    expect(await checkDomain(em(), identities, id)).toBe('verified');
    const before = await em().findOne(Domain, { id }, allProjects);
    await local.client.send(new DeleteEmailIdentityCommand({ EmailIdentity: 'shop.example' }));
    expect(await checkDomain(em(), identities, id)).toBe('verified');
    const after = await em().findOne(Domain, { id }, allProjects);

    expect(before).toMatchObject({
      status: 'verified',
      foundRecords: expect.arrayContaining([expect.any(String)]),
    });
    expect(after?.dkimTokens).toHaveLength(3);
    expect(after?.dkimTokens).not.toEqual(before?.dkimTokens);
    expect(after?.foundRecords).toEqual([
      'TXT _posthaste.shop.example OWNERSHIP',
      ...(after?.dkimTokens ?? []).map((token) => `CNAME ${token}._domainkey.shop.example DKIM`),
      'MX bounce.shop.example MAIL_FROM',
    ]);
    expect(await checkDomain(em(), identities, uuidv7())).toBe('gone');
  });

  it('removes a domain whose name servers never worked after seven days, and keeps a verified one', async () => {
    const dns = await startDnsServer();
    dns.behavior = 'broken';
    const identities = createDnsIdentities(Buffer.alloc(32), createRecordLookup([dns.address]));
    const { id: projectId } = await createTestProject(database);
    const [pending, verified] = [uuidv7(), uuidv7()];
    const createdAt = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    await em().insert(Domain, { id: pending, projectId, domain: 'mistyped.example', createdAt });
    await em().insert(Domain, {
      id: verified,
      projectId,
      domain: 'works.example',
      createdAt,
      status: 'verified',
    });

    expect(await checkDomain(em(), identities, pending)).toBe('gone');
    await expect(checkDomain(em(), identities, verified)).rejects.toThrow('_posthaste.works.example');
    await dns.close();
  });

  it('drops an answer that another check has overtaken, and asks again', async () => {
    const { id: projectId } = await createTestProject(database);
    const id = uuidv7();
    await em().insert(Domain, { id, projectId, domain: 'slow.example' });
    let isVerified = true;
    const stalled = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const state = () => ({ verified: isVerified, found: [], others: {}, dkimTokens: [] });
    const quick = { check: async () => state() } as unknown as DomainIdentities;
    const slow = {
      async check() {
        const answer = state();
        asked.resolve();
        await stalled.promise;
        return answer;
      },
    } as unknown as DomainIdentities;

    const background = checkDomain(em(), slow, id);
    await asked.promise;
    isVerified = false;
    expect(await checkDomain(em(), quick, id)).toBe('pending');
    stalled.resolve();

    expect(await background).toBe('pending');
    expect(await em().findOne(Domain, { id }, allProjects)).toMatchObject({ status: 'pending' });
  });
});
