import { expect, it } from 'vitest';
import { startTestSes } from '../../local/ses/testing/test-ses.ts';
import type { DnsRecord } from './domain-identities.ts';
import { createLocalZoneLookup } from './local-zone.ts';

const proof: DnsRecord = {
  type: 'TXT',
  name: '_posthaste.Shop.example',
  value: 'mine',
  purpose: 'OWNERSHIP',
};
const policy: DnsRecord = { type: 'TXT', name: '_dmarc.shop.example', value: 'x', purpose: 'DMARC' };

it('finds proofs in the zone of the local SES, which has every proof until a text is set, and the rest in DNS', async () => {
  const { ses, control } = await startTestSes();
  const lookup = createLocalZoneLookup(ses.url, async (records) => records.map(() => 'missing'));
  const set = (texts: string[] | null) => control('PUT', '/api/records/_posthaste.shop.example', { texts });
  expect(await lookup([policy, proof])).toEqual(['missing', 'found']);
  await set(['theirs']);
  expect(await lookup([proof, policy])).toEqual([{ others: ['theirs'] }, 'missing']);
  expect(await lookup([{ ...proof, name: `${proof.name}.shop.example` }], true)).toEqual(['missing']);
  await set(['theirs', 'mine']);
  expect(await lookup([proof])).toEqual(['found']);
  await set(null);
  expect(await lookup([proof])).toEqual(['found']);
});

it('reports nothing while the local SES is down', async () => {
  const lookup = createLocalZoneLookup('http://127.0.0.1:1', async () => []);
  expect(await lookup([proof])).toEqual(['unanswered']);
});
