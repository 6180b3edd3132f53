import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { startAnotherApi } from './setup/processes.ts';
import { createTestSender, type TestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

it('returns the DNS records to create, and is verified in the background right away', async () => {
  const name = `new.${sender.domain}`;
  const added = await sender.post('/domains', { domain: ` ${name.toUpperCase()} `, projectId: 'ignored' });
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject({
    domain: name,
    status: 'pending',
    verified: false,
    projectId: sender.projectId,
  });
  expect(added.body.dkimTokens).toHaveLength(3);
  const [token] = added.body.dkimTokens;
  expect(added.body.records).toEqual(
    expect.arrayContaining([
      {
        type: 'CNAME',
        name: `${token}._domainkey.${name}`,
        value: `${token}.dkim.amazonses.com`,
        purpose: 'DKIM',
        found: false,
        others: [],
        misplaced: null,
      },
      {
        type: 'TXT',
        name: `_posthaste.${name}`,
        value: expect.stringMatching(/^posthaste-verification=[\w-]{32}$/),
        purpose: 'OWNERSHIP',
        found: false,
        others: [],
        misplaced: null,
      },
      expect.objectContaining({ type: 'MX', priority: 10, purpose: 'MAIL_FROM', found: false }),
      expect.objectContaining({ type: 'TXT', purpose: 'SPF' }),
      expect.objectContaining({ type: 'TXT', name: `_dmarc.${name}`, purpose: 'DMARC' }),
    ]),
  );
  const list = await eventually(
    () => sender.get(`/domains/project/${sender.projectId}`),
    (answer) => answer.body.data.every((domain: { verified: boolean }) => domain.verified),
  );
  expect(list.body.data.map((domain: { domain: string }) => domain.domain)).toEqual([sender.domain, name]);
  const send = await sender.post('/v1/send', {
    to: 'ada@example.com',
    from: `a@${name}`,
    subject: 'x',
    body: 'x',
  });
  expect(send.status).toBe(200);
});

it('goes back to pending when its records vanish, and sending from it is refused at once', async () => {
  const { body } = await sender.get(`/domains/project/${sender.projectId}`);
  const [domain] = body.data;
  await fetch(`${stack.ses.url}/api/identities/${sender.domain}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ status: 'pending' }),
  });
  const checked = await sender.get(`/domains/${domain.id}/verify`);
  expect(checked.body).toMatchObject({ status: 'pending', verified: false });
  const send = { to: 'ada@example.com', from: `a@${sender.domain}`, subject: 'x', body: 'x' };
  const refused = await eventually(
    () => sender.post('/v1/send', send),
    (answer) => answer.status === 403,
  );
  expect(refused.body.error.details.reason).toBe('DOMAIN_NOT_VERIFIED');
});

it('belongs to one project: another gets 409 for it, and 404 for its id', async () => {
  const other = await createTestSender(stack.url);
  const taken = await other.post('/domains', { domain: sender.domain });
  expect(taken.status).toBe(409);
  const { body } = await sender.get(`/domains/project/${sender.projectId}`);
  expect((await other.get(`/domains/${body.data[0].id}/verify`)).status).toBe(404);
  expect((await other.delete(`/domains/${body.data[0].id}`)).status).toBe(404);
  expect((await other.get(`/domains/project/${sender.projectId}`)).status).toBe(404);
});

it('can be removed, and then be added by another project', async () => {
  const { body } = await sender.get(`/domains/project/${sender.projectId}`);
  expect((await sender.delete(`/domains/${body.data[0].id}`)).status).toBe(204);
  expect((await sender.get(`/domains/${body.data[0].id}/verify`)).status).toBe(404);
  const other = await createTestSender(stack.url);
  expect((await other.post('/domains', { domain: sender.domain })).status).toBe(201);
});

it('is proven by the TXT record of one project, even if another has added it before', async () => {
  const other = await createTestSender(stack.url);
  const name = `pending.${sender.domain}`;
  const added = [
    await sender.post('/domains', { domain: name }),
    await other.post('/domains', { domain: name }),
  ];
  expect(added.map(({ status }) => status)).toEqual([201, 201]);
  const [squatted, owned] = added.map(({ body }) => ({
    id: body.id,
    proof: body.records.find((record: { purpose: string }) => record.purpose === 'OWNERSHIP').value,
  }));
  expect(squatted?.proof).not.toBe(owned?.proof);
  const put = (path: string, body: unknown) =>
    fetch(`${stack.ses.url}/api/${path}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await put(`records/_posthaste.${name}`, { texts: ['something else', owned?.proof] });
  await put(`identities/${name}`, { status: 'verified' });
  const refused = await sender.get(`/domains/${squatted?.id}/verify`);
  expect(refused.body.verified).toBe(false);
  expect(refused.body.checkedAt).not.toBeNull();
  const others = ['something else', owned?.proof];
  expect(refused.body.records[0]).toMatchObject({ purpose: 'OWNERSHIP', found: false, others });
  const verified = await other.get(`/domains/${owned?.id}/verify`);
  expect(verified.body.verified).toBe(true);
  expect(verified.body.records[0]).toMatchObject({ purpose: 'OWNERSHIP', found: true, others: [] });
  // Adding the other project's TXT record now is too late.
  await put(`records/_posthaste.${name}`, { texts: [owned?.proof, squatted?.proof] });
  expect((await sender.get(`/domains/${squatted?.id}/verify`)).status).toBe(409);
});

it('refuses the domain that account emails are sent from, except with the local SES', async () => {
  const domain = `accounts.${sender.domain}`;
  const process = await startAnotherApi(stack, {
    ACCOUNT_EMAIL_FROM: `Service@${domain}`,
    SNS_LOCAL_HOST: '',
  });
  try {
    const answer = await fetch(`${process.url}/domains`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sender.secretKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ domain }),
    });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('ACCOUNT_EMAIL_FROM');
  } finally {
    await process.stop();
  }
  expect((await sender.post('/domains', { domain })).status).toBe(201);
});

it.each(['nonsense', 'http://example.com', 'example', '', '-a.example', 'a..example', '10.0.0.1'])(
  'refuses %j as a domain',
  async (domain) => {
    const answer = await sender.post('/domains', { domain });
    expect(answer.status).toBe(422);
    expect(answer.body.error.errors[0].field).toBe('domain');
  },
);

it('a project that requests many checks at once waits only for its own, and others do not wait', async () => {
  const idOf = async (one: TestSender) =>
    (await one.get(`/domains/project/${one.projectId}`)).body.data[0].id;
  const other = await createTestSender(stack.url);
  const [busy, quiet] = [await idOf(sender), await idOf(other)];
  const asked = Array.from({ length: 60 }, () => sender.get(`/domains/${busy}/verify`));
  expect((await other.get(`/domains/${quiet}/verify`)).body).toMatchObject({ verified: true });
  const answers = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused[0]?.body.error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Too many domain checks of this project at once',
  });
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
  const checked = answers.filter(({ status }) => status === 200);
  expect(checked.length).toBeGreaterThan(12);
  expect(checked.length + refused.length).toBe(asked.length);
});
