import { beforeEach, describe, expect, it } from 'vitest';
import { codesByField, type TestAnswer } from './setup/answer.ts';
import { useOneSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const other = useOneSender(stack);

const template = (changes: Record<string, unknown> = {}) => ({
  name: 'Welcome',
  subject: 'Welcome, {{ firstName ?? "friend" }}',
  body: '<p>Hello {{ firstName }}</p>',
  from: `hello@${sender.domain}`,
  ...changes,
});

async function create(changes: Record<string, unknown> = {}): Promise<TestAnswer['body']> {
  const answer = await sender.post('/templates', template(changes));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

describe('a new template', () => {
  it('is returned in full, and is marketing by default', async () => {
    const created = await create({ from: ` Hello@${sender.domain.toUpperCase()}` });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Welcome',
      description: null,
      subject: 'Welcome, {{ firstName ?? "friend" }}',
      body: '<p>Hello {{ firstName }}</p>',
      from: `hello@${sender.domain}`,
      fromName: null,
      replyTo: null,
      type: 'MARKETING',
      projectId: sender.projectId,
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
    });
    expect((await sender.get(`/templates/${created.id}`)).body).toEqual(created);
    const full = { description: 'a note', fromName: 'Zoë', replyTo: 'Answers@Example.com', type: 'HEADLESS' };
    expect(await create(full)).toMatchObject({ ...full, replyTo: 'answers@example.com' });
    expect(await create({ description: '', fromName: '', replyTo: null })).toMatchObject({
      description: null,
      fromName: null,
      replyTo: null,
    });
  });

  it.each(['name', 'subject', 'body', 'from'])(
    'requires a %s: otherwise 400 with an error text',
    async (field) => {
      for (const value of [undefined, null, '']) {
        const answer = await sender.post('/templates', template({ [field]: value }));
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual({ error: `${field} is required` });
      }
      expect((await sender.get('/templates')).body.total).toBe(0);
    },
  );

  it('gets 422 that names every other error in its fields', async () => {
    const answer = await sender.post('/templates', {
      name: 'x'.repeat(256),
      subject: 'two\r\nlines',
      body: 'x'.repeat(512 * 1024 + 1),
      from: 'nobody',
      fromName: 'A\nBcc: eve@example.com',
      replyTo: 'a b@example.com',
      description: 'x'.repeat(2001),
      type: 'OTHER',
    });
    expect(answer.status).toBe(422);
    expect(codesByField(answer)).toEqual({
      name: 'too_big',
      subject: 'invalid_string',
      body: 'too_big',
      from: 'invalid_string',
      fromName: 'invalid_string',
      replyTo: 'invalid_string',
      description: 'too_big',
      type: 'invalid_value',
    });
    expect(answer.body.error.errors.find((issue: { field: string }) => issue.field === 'body').message).toBe(
      'A body has at most 512 KB',
    );
    expect(
      codesByField(await sender.post('/templates', template({ name: ' ', subject: 'x'.repeat(999) }))),
    ).toEqual({
      name: 'invalid_string',
      subject: 'too_big',
    });
    const large = await create({ body: 'ä'.repeat(256 * 1024) });
    expect(large.body).toHaveLength(256 * 1024);
  });

  it('is refused with line and column if it does not parse', async () => {
    const answer = await sender.post(
      '/templates',
      template({ subject: 'Hi {{ name | shout }}', body: '<p>\r\n  ü {% if x %}\r\n</p>' }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error:
        'subject: Liquid, line 1, column 14: undefined filter: shout; ' +
        'body: Liquid, line 2, column 5: tag {% if x %} not closed',
    });
    const included = await sender.post('/templates', template({ body: '{% include "x" %}' }));
    expect(included.body.error).toMatch(/line 1, column 1: the tag "include" is not available/);
  });

  it('is refused with 403 for a foreign or unverified domain', async () => {
    const pending = `pending.${sender.domain}`;
    expect((await sender.post('/domains', { domain: pending })).status).toBe(201);
    await fetch(`${stack.ses.url}/api/identities/${pending}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status: 'pending' }),
    });
    const { body: domains } = await sender.get(`/domains/project/${sender.projectId}`);
    const { id } = domains.data.find((one: { domain: string }) => one.domain === pending);
    expect((await sender.get(`/domains/${id}/verify`)).body.verified).toBe(false);
    for (const [domain, reason] of [
      ['elsewhere.test', 'DOMAIN_NOT_REGISTERED'],
      [other.domain, 'DOMAIN_NOT_REGISTERED'],
      [pending, 'DOMAIN_NOT_VERIFIED'],
    ]) {
      const answer = await sender.post('/templates', template({ from: `a@${domain}` }));
      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
        message: expect.stringContaining(`${domain}`),
        details: { reason, domain },
      });
    }
    expect((await sender.get('/templates')).body.total).toBe(0);
  });
});

describe('the list', () => {
  beforeEach(async () => {
    await create({ name: 'beta', subject: 'Ärger 100%', description: 'Cafe\u0301' });
    await create({ name: 'Alpha', description: 'STRASSE_1', type: 'TRANSACTIONAL' });
    await create({ name: 'gamma', subject: 'straße', type: 'HEADLESS' });
  });
  const names = async (query: string) =>
    (await sender.get(`/templates?${query}`)).body.data.map((one: { name: string }) => one.name);

  it('is paged, newest first', async () => {
    const first = (await sender.get('/templates?pageSize=2')).body;
    expect(first).toMatchObject({ total: 3, page: 1, pageSize: 2, totalPages: 2 });
    expect(first.data.map((one: { name: string }) => one.name)).toEqual(['gamma', 'Alpha']);
    expect(first.data[0].projectId).toBe(sender.projectId);
    expect(await names('pageSize=2&page=2')).toEqual(['beta']);
    const beyond = (await sender.get('/templates?page=9007199254740991&pageSize=5000')).body;
    expect(beyond).toMatchObject({ data: [], total: 3, pageSize: 100, totalPages: 1 });
    expect((await sender.get('/templates')).body).toMatchObject({ pageSize: 20, totalPages: 1 });
    expect((await sender.get('/templates?search=nothing')).body).toMatchObject({ total: 0, totalPages: 0 });
  });

  it('leaves out the bodies when asked', async () => {
    const [first] = (await sender.get('/templates')).body.data;
    const [listed] = (await sender.get('/templates?body=false')).body.data;
    const { body, ...rest } = first;
    expect(body).toBe('<p>Hello {{ firstName }}</p>');
    expect(listed).toEqual(rest);
  });

  it('can be sorted, by default newest first', async () => {
    expect(await names('sort=name&dir=asc')).toEqual(['Alpha', 'beta', 'gamma']);
    expect(await names('sort=name')).toEqual(['gamma', 'beta', 'Alpha']);
    expect(await names('sort=createdAt&dir=asc')).toEqual(['beta', 'Alpha', 'gamma']);
    expect(await names('sort=body&dir=sideways')).toEqual(['gamma', 'Alpha', 'beta']);
    const { data } = (await sender.get('/templates?search=beta')).body;
    await sender.patch(`/templates/${data[0].id}`, { description: 'newer' });
    expect(await names('sort=updatedAt')).toEqual(['beta', 'gamma', 'Alpha']);
  });

  it.each([
    ['search=ALPH', ['Alpha']],
    ['search=%C3%A4RGER', ['beta']],
    ['search=a%CC%88rger', ['beta']],
    ['search=caf%C3%A9', ['beta']],
    ['search=strasse', ['gamma', 'Alpha']],
    ['search=0%25', ['beta']],
    ['search=%25', ['beta']],
    ['search=_', ['Alpha']],
    ['search=%5C', []],
    ['search=', ['gamma', 'Alpha', 'beta']],
    ['type=HEADLESS', ['gamma']],
    ['type=TRANSACTIONAL&search=beta', []],
  ])('is filtered by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it.each(['page=0', 'page=x', 'pageSize=0', 'page=1.5', 'type=OTHER', 'search=%00'])(
    'refuses %s',
    async (query) => {
      expect((await sender.get(`/templates?${query}`)).status).toBe(422);
    },
  );
});

describe('a change', () => {
  it('changes only the given fields, and clears optional ones with null', async () => {
    const created = await create({ description: 'note', fromName: 'Name', replyTo: 'r@example.com' });
    const renamed = await sender.patch(`/templates/${created.id}`, { name: 'Other', id: unknownId });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toEqual({ ...created, name: 'Other', updatedAt: expect.any(String) });
    expect(renamed.body.updatedAt > created.updatedAt).toBe(true);
    const cleared = await sender.patch(`/templates/${created.id}`, {
      description: null,
      fromName: null,
      replyTo: null,
    });
    expect(cleared.body).toMatchObject({ name: 'Other', description: null, fromName: null, replyTo: null });
    const rest = { subject: 's', body: 'b', type: 'HEADLESS', from: `other@${sender.domain}` };
    expect((await sender.patch(`/templates/${created.id}`, rest)).body).toMatchObject(rest);
  });

  it('keeps concurrent changes of other fields', async () => {
    const { id } = await create();
    const fields = ['name', 'subject', 'body', 'description', 'fromName'];
    const answers = await Promise.all(
      fields.map((field) => sender.patch(`/templates/${id}`, { [field]: `new ${field}` })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(fields.map(() => 200));
    expect(new Set(answers.map((answer) => answer.body.updatedAt)).size).toBe(fields.length);
    const changed = Object.fromEntries(fields.map((field) => [field, `new ${field}`]));
    expect((await sender.get(`/templates/${id}`)).body).toMatchObject(changed);
  });

  it('is refused like a creation, with the error envelope', async () => {
    const { id } = await create();
    const nulls = { name: null, subject: null, body: '', from: null, type: null };
    const answer = await sender.patch(`/templates/${id}`, nulls);
    expect(answer.status).toBe(422);
    expect(Object.keys(codesByField(answer)).sort()).toEqual(Object.keys(nulls).sort());
    const unparsable = await sender.patch(`/templates/${id}`, { body: '<p>\n{% endif %}' });
    expect(unparsable.status).toBe(400);
    expect(unparsable.body.error).toMatchObject({
      code: 'BAD_REQUEST',
      details: { body: { line: 2, column: 1 } },
      errors: [{ field: 'body', code: 'invalid_template' }],
    });
    const foreign = await sender.patch(`/templates/${id}`, { from: `a@${other.domain}` });
    expect(foreign.status).toBe(403);
    expect((await sender.patch(`/templates/${id}`, { subject: 'a\nb' })).status).toBe(422);
    expect((await sender.get(`/templates/${id}`)).body).toMatchObject(template());
  });

  it('checks the domain only when the sender changes', async () => {
    const { id } = await create();
    await fetch(`${stack.ses.url}/api/identities/${sender.domain}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status: 'pending' }),
    });
    const { body } = await sender.get(`/domains/project/${sender.projectId}`);
    await sender.get(`/domains/${body.data[0].id}/verify`);
    const same = { name: 'Other', from: `hello@${sender.domain}` };
    expect((await sender.patch(`/templates/${id}`, same)).status).toBe(200);
    const moved = await sender.patch(`/templates/${id}`, { from: `other@${sender.domain}` });
    expect(moved.status).toBe(403);
    expect(moved.body.error.details.reason).toBe('DOMAIN_NOT_VERIFIED');
  });
});

describe('a copy', () => {
  it('copies the content under another name', async () => {
    const original = await create({
      description: 'note',
      fromName: 'N',
      replyTo: 'r@x.io',
      type: 'HEADLESS',
    });
    const copied = await sender.post(`/templates/${original.id}/duplicate`, undefined);
    expect(copied.status).toBe(201);
    expect(copied.body).toEqual({
      ...original,
      id: expect.not.stringMatching(original.id),
      name: 'Welcome (Copy)',
      createdAt: expect.any(String),
      updatedAt: copied.body.createdAt,
    });
    expect((await sender.get(`/templates/${copied.body.id}`)).body).toEqual(copied.body);
  });

  it("can be changed under its new name, however long the original's is", async () => {
    for (const letter of ['x', '😀']) {
      const { id } = await create({ name: letter.repeat(255) });
      const { body } = await sender.post(`/templates/${id}/duplicate`, undefined);
      expect(body.name).toBe(`${letter.repeat(248)} (Copy)`);
      expect((await sender.patch(`/templates/${body.id}`, { name: body.name })).status).toBe(200);
    }
  });
});

it('is unused, and 404 once it is deleted', async () => {
  const { id } = await create();
  const usage = await sender.get(`/templates/${id}/usage`);
  expect([usage.status, usage.body]).toEqual([
    200,
    { campaigns: [], workflowSteps: [], workflowVersions: [] },
  ]);
  expect((await sender.delete(`/templates/${id}`)).status).toBe(204);
  expect((await sender.delete(`/templates/${id}`)).status).toBe(404);
  expect((await sender.get(`/templates/${id}`)).status).toBe(404);
});

it('is not listed in another project', async () => {
  await create();
  expect((await other.get('/templates')).body.total).toBe(0);
});
