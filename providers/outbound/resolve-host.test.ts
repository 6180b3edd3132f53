import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '../testing/dns-server.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';

let dns: DnsServer;
let resolve: ResolveHost;
beforeAll(async () => {
  dns = await startDnsServer([
    { type: 'A', name: 'both.test', value: '192.0.9.1' },
    { type: 'AAAA', name: 'both.test', value: '2606:4700::1' },
    { type: 'AAAA', name: 'six.test', value: '2606:4700::2' },
    { type: 'TXT', name: 'text.test', value: 'no address' },
  ]);
  resolve = createHostResolver(['localhost'], [dns.address]);
});
afterAll(() => dns.close());

it('asks DNS for the addresses of both families', async () => {
  expect(await resolve('both.test')).toEqual(['192.0.9.1', '2606:4700::1']);
  expect(await resolve('six.test')).toEqual(['2606:4700::2']);
});

it('says why there is no address', async () => {
  await expect(resolve('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolve('text.test')).rejects.toMatchObject({ code: 'ENODATA' });
});

it('gives up on a silent name server while others are asked', async () => {
  dns.behavior = 'silent';
  const silent = Array.from({ length: 20 }, (_, index) => resolve(`h${index}.silent.test`));
  const given = Promise.allSettled(silent);
  while (dns.questions.filter((question) => question.includes('silent.test')).length < 40) {
    await new Promise(setImmediate);
  }
  dns.behavior = 'answering';
  expect(await Promise.race([given, resolve('both.test')])).toEqual(['192.0.9.1', '2606:4700::1']);
  // Those that were asked again have an answer.
  for (const answer of await given) expect(answer).toMatchObject({ status: 'rejected' });
});

it('resolves names of this machine without DNS', async () => {
  dns.questions = [];
  expect(await resolve('localhost')).toContain('127.0.0.1');
  expect(await resolve('app.localhost')).toEqual(['127.0.0.1']);
  expect(dns.questions).toEqual([]);
});
