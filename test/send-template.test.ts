import { describe, expect, it } from 'vitest';
import { codesByField, type TestAnswer } from './setup/answer.ts';
import { eventually } from './setup/eventually.ts';
import { arrived, readInbox } from './setup/inbox.ts';
import { callApi } from './setup/people.ts';
import { startAnotherApi } from './setup/processes.ts';
import { readEmail } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const create = (changes: object = {}) =>
  createTemplate(sender, {
    subject: 'Welcome, {{ firstName ?? "friend" }}',
    body: '<p>{{ firstName }} has {{ plan ?? "no plan" }}</p>',
    fromName: 'The Team',
    replyTo: 'answers@example.com',
    ...changes,
  });

const send = (template: string, changes: Record<string, unknown> = {}) =>
  sender.post('/v1/send', { to: 'ada@example.com', template, ...changes });

async function emailOf(answer: TestAnswer, isDone: (status: string) => boolean) {
  const { email } = answer.body.data.emails[0];
  const row = await eventually(
    () => readEmail(stack.em(), email),
    (found) => found !== undefined && isDone(found.status),
  );
  return row;
}

describe('a template in a send', () => {
  it('gives everything that the request leaves out, filled with the data of contact and request', async () => {
    const id = await create();
    await sender.post('/contacts', { email: 'ada@example.com', data: { firstName: 'Ada <3' } });
    const answer = await send(id, { data: { plan: { value: 'pro & more', persistent: false } } });
    const message = await arrived(stack.ses, answer);
    expect(message).toMatchObject({
      from: `The Team <hello@${sender.domain}>`,
      to: ['ada@example.com'],
      replyTo: 'answers@example.com',
      subject: 'Welcome, Ada <3',
      html: '<p>Ada &lt;3 has pro &amp; more</p>',
      text: 'Ada <3 has pro & more',
    });
    expect(Object.keys(message.headers)).not.toContain('List-Unsubscribe');
    expect(await emailOf(answer, (status) => status !== 'QUEUED')).toMatchObject({
      templateId: id,
      type: 'TRANSACTIONAL',
      source: 'TRANSACTIONAL',
    });
  });

  it('is found by its id in upper case', async () => {
    const id = await create();
    const answer = await send(id.toUpperCase());
    expect(answer.status).toBe(200);
    expect(await emailOf(answer, () => true)).toMatchObject({ templateId: id });
  });

  it('is overridden by every field of the request', async () => {
    const id = await create();
    const both = await send(id, {
      subject: 'Mine',
      body: '<p>Mine</p>',
      from: { email: `other@${sender.domain}`, name: 'Me' },
      reply: 'me@example.com',
    });
    expect(await arrived(stack.ses, both)).toMatchObject({
      from: `Me <other@${sender.domain}>`,
      replyTo: 'me@example.com',
      subject: 'Mine',
      html: '<p>Mine</p>',
    });
    const named = await arrived(stack.ses, await send(id, { name: 'Old Name', subject: 'Named' }));
    expect(named).toMatchObject({ from: `Old Name <hello@${sender.domain}>`, subject: 'Named' });
    const address = await arrived(stack.ses, await send(id, { from: `other@${sender.domain}` }));
    expect(address.from).toBe(`The Team <other@${sender.domain}>`);
    const refused = await send(id, { from: 'a@elsewhere.test' });
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'DOMAIN_NOT_REGISTERED']);
    expect(codesByField(await send(id, { subject: '{{ open', body: '' }))).toEqual({ body: 'too_small' });
    expect(codesByField(await send(id, { subject: '{{ open' }))).toEqual({ subject: 'invalid_template' });
  });

  it('must belong to the project: 404 otherwise, and 422 without it and without content', async () => {
    const other = await createTestSender(stack.url);
    const foreign = await createTemplate(other);
    for (const id of [foreign, '0190a0a0-0000-7000-8000-000000000000']) {
      const content = { subject: 's', body: 'b', from: `hello@${sender.domain}` };
      for (const answer of [await send(id), await send(id, content)]) {
        expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
      }
    }
    // The same id at the same moment: known in one project, unknown in the other.
    const own = () => other.post('/v1/send', { to: 'ada@example.com', template: foreign, subscribed: true });
    const mixed = await Promise.all([own(), send(foreign), own(), send(foreign)]);
    expect(mixed.map((answer) => answer.status)).toEqual([200, 404, 200, 404]);
    expect((await sender.get('/contacts')).body.total).toBe(0);
    expect(codesByField(await send('no id'))).toEqual({ template: 'invalid_string' });
    expect(codesByField(await sender.post('/v1/send', { to: 'ada@example.com' }))).toEqual({
      subject: 'invalid_type',
      body: 'invalid_type',
      from: 'invalid_type',
    });
  });

  it("can't be used once it is deleted, and stays in accepted emails", async () => {
    const id = await create();
    const accepted = await send(id);
    expect((await sender.delete(`/templates/${id}`)).status).toBe(204);
    expect((await send(id)).status).toBe(404);
    expect((await arrived(stack.ses, accepted)).subject).toBe('Welcome, friend');
  });
});

describe('the type of a template', () => {
  it('MARKETING brings footer and headers, in the language of the contact', async () => {
    const id = await create({
      type: 'MARKETING',
      body: '<p>{% if locale == "de" %}Hallo{% else %}Hello{% endif %}</p>',
    });
    const german = { subscribed: true, data: { locale: 'de' } };
    const message = await arrived(stack.ses, await send(id, german));
    expect(message.html).toMatch(
      /^<p>Hallo<\/p><div .*Sie erhalten .*<a ses:no-track href="http[^"]+\/unsubscribe\/[^"]+".*>Abmelden<\/a>/,
    );
    expect(message.text).toContain('Abmelden: http');
    expect(message.headers).toMatchObject({
      'List-Unsubscribe': expect.stringMatching(/^<http.*\/unsubscribe\/.*>$/),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      Precedence: 'bulk',
    });
    const unknown = await arrived(stack.ses, await send(id, { to: 'grace@example.com', subscribed: true }));
    expect(unknown.html).toContain('>Unsubscribe</a>');
  });

  it('HEADLESS brings only the headers', async () => {
    const id = await create({ type: 'HEADLESS' });
    const message = await arrived(stack.ses, await send(id, { subscribed: true }));
    expect(message.html).toBe('<p> has no plan</p>');
    expect(message.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    expect(Object.keys(message.headers)).not.toContain('Precedence');
  });

  it.each(['MARKETING', 'HEADLESS'])(
    '%s is recorded and withheld from unsubscribed contacts',
    async (type) => {
      const id = await create({ type });
      const answer = await send(id);
      expect(answer.status).toBe(200);
      const kept = await emailOf(answer, (status) => status !== 'QUEUED' && status !== 'SENDING');
      expect(kept).toMatchObject({
        status: 'SUPPRESSED',
        type,
        templateId: id,
        reason: 'the contact is not subscribed',
        sentAt: null,
      });
      await sender.patch(`/templates/${id}`, { type: 'TRANSACTIONAL' });
      const sent = await send(id);
      await arrived(stack.ses, sent);
      const { messages } = await readInbox(stack.ses);
      expect(JSON.stringify(messages)).not.toContain(answer.body.data.emails[0].email);
    },
  );
});

describe('with a second API process', () => {
  it('a change or deletion applies to the next send of either', async () => {
    const second = await startAnotherApi(stack);
    try {
      const id = await create({ subject: 'round 0' });
      const sendThrough = (url: string) => {
        const headers = { Authorization: `Bearer ${sender.secretKey}` };
        return callApi(url, 'POST', '/v1/send', { to: 'ada@example.com', template: id }, headers);
      };
      const urls = [second.url, stack.url];
      for (const url of urls) await sendThrough(url);
      const answers: TestAnswer[] = [];
      for (let round = 1; round <= 20; round++) {
        await sender.patch(`/templates/${id}`, { subject: `round ${round}` });
        answers.push(...(await Promise.all(urls.map(sendThrough))));
      }
      const subjects: string[] = [];
      for (const answer of answers) subjects.push((await arrived(stack.ses, answer)).subject);
      expect(subjects).toEqual(
        Array.from({ length: 20 }, (_, index) => [`round ${index + 1}`, `round ${index + 1}`]).flat(),
      );
      await sender.delete(`/templates/${id}`);
      expect((await Promise.all(urls.map(sendThrough))).map((answer) => answer.status)).toEqual([404, 404]);
    } finally {
      await second.stop();
    }
  });
});
