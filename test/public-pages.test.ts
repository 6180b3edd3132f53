import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { messages } from '../core/messages/messages.ts';
import { eventually } from './setup/eventually.ts';
import { arrived, readInbox } from './setup/inbox.ts';
import { findWrongCounts, readContact, readEmail, readEvents } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, type TestSubscriber, visitPage } from './setup/subscribers.ts';
import { createTemplate } from './setup/templates.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const visit = (path: string, form?: Record<string, string> | string, headers?: Record<string, string>) =>
  visitPage(`${stack.url}${path}`, form, headers);
const contactOf = (reader: TestSubscriber) => readContact(stack.em(), sender.projectId, reader.email);
const journal = async () =>
  (await readEvents(stack.em(), sender.projectId)).map(({ name, kind, emailId, campaignId, data }) => {
    return { name, kind, emailId, campaignId, data };
  });
const countedFor = async (campaignId: string) => {
  const [row] = await stack.sql<{ unsubscribed: number }>(
    `select coalesce(sum(unsubscribed), 0)::int as unsubscribed
     from (select campaign_id, unsubscribed from campaign_figures
       union all select campaign_id, unsubscribed from campaign_figure_changes) figures
     where campaign_id = $1`,
    [campaignId],
  );
  return row?.unsubscribed;
};

/** Sends a marketing email and reads its links from the inbox. */
async function sendMarketing(to: string) {
  const content = { body: '<p>{{ subscribeUrl }} {{ manageUrl }}</p>', type: 'MARKETING' };
  const template = await createTemplate(sender, content);
  const sent = await sender.post('/v1/send', { to, template, subscribed: true });
  const emailId: string = sent.body.data.emails[0].email;
  return { templateId: template, emailId, message: await arrived(stack.ses, sent) };
}

describe('one-click unsubscribe (RFC 8058)', () => {
  it('works with the headers of a marketing email as it arrives in the inbox', async () => {
    const { templateId, emailId, message } = await sendMarketing('ada@example.com');
    expect(message?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    const [, address = ''] = /^<(\S+)>$/.exec(message?.headers['List-Unsubscribe'] ?? '') ?? [];
    expect(address).toMatch(new RegExp(`^${stack.url}/unsubscribe/[\\w-]{64}$`));
    expect(message?.html).toContain(`href="${address}"`);

    const answer = await visitPage(address, { 'List-Unsubscribe': 'One-Click' });
    expect(answer.status).toBe(200);
    expect(await readContact(stack.em(), sender.projectId, 'ada@example.com')).toMatchObject({
      subscribed: false,
    });
    expect(await readEmail(stack.em(), emailId)).toMatchObject({ unsubscribedAt: expect.any(Date) });
    const feed = await eventually(
      () => sender.get('/activity?types=contact.unsubscribed'),
      ({ body }) => body.data?.length > 0,
    );
    expect(feed.body.data).toEqual([
      expect.objectContaining({ contactEmail: 'ada@example.com', metadata: { emailId } }),
    ]);

    const again = await sender.post('/v1/send', { to: 'ada@example.com', template: templateId });
    const held = await eventually(
      () => readEmail(stack.em(), again.body.data.emails[0].email),
      (email) => email?.status === 'SUPPRESSED',
    );
    expect(held).toMatchObject({ reason: 'the contact is not subscribed', sentAt: null });
  });

  it.each([
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'List-Unsubscribe=One-Click'],
    [
      'a multipart form',
      { 'Content-Type': 'multipart/form-data; boundary=x' },
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['nothing', {}, ''],
    ['something else', { 'Content-Type': 'application/json' }, '{"List-Unsubscribe":'],
  ])('takes %s as body', async (_, headers, body) => {
    const reader = await createTestSubscriber(stack, sender);
    const answer = await visit(reader.path('unsubscribe'), body, headers as Record<string, string>);
    expect(answer.status).toBe(200);
    expect(await contactOf(reader)).toMatchObject({ subscribed: false });
  });

  it('counts once for the campaign and is journaled once, however many requests arrive at once', async () => {
    const reader = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
    const origin = { emailId: reader.emailId, campaignId: reader.campaignId };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => visit(reader.path('unsubscribe'), '')),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    const written = await journal();
    expect(written).toHaveLength(2);
    expect(written).toEqual(
      expect.arrayContaining([
        { name: 'contact.unsubscribed', kind: 'emitted', ...origin, data: origin },
        { name: 'email.unsubscribed', kind: 'activity', ...origin, data: origin },
      ]),
    );
    expect(await countedFor(reader.campaignId ?? '')).toBe(1);
    const unsubscribedAt = (await readEmail(stack.em(), reader.emailId))?.unsubscribedAt;
    expect(unsubscribedAt).toBeInstanceOf(Date);

    await visit(reader.path('subscribe'), '');
    await visit(reader.path('unsubscribe'), '');
    // The opt-out that the campaign counts is journaled only once.
    expect((await journal()).map((row) => row.name).toSorted()).toEqual([
      'contact.subscribed',
      'contact.unsubscribed',
      'contact.unsubscribed',
      'email.unsubscribed',
    ]);
    expect(await countedFor(reader.campaignId ?? '')).toBe(1);
    expect((await readEmail(stack.em(), reader.emailId))?.unsubscribedAt).toEqual(unsubscribedAt);
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });

  it('counts for the campaign of the email that it came from, and for no other', async () => {
    const first = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
    const second = await createTestSubscriber(stack, sender, { campaignId: randomUUID(), of: first });
    await visit(second.path('unsubscribe'), '');
    await visit(first.path('unsubscribe'), '');
    expect(await countedFor(second.campaignId ?? '')).toBe(1);
    expect(await countedFor(first.campaignId ?? '')).toBe(0);
    expect(await readEmail(stack.em(), first.emailId)).toMatchObject({ unsubscribedAt: null });
  });

  it('does not count for contacts that have already bounced or complained', async () => {
    const reader = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
    await stack.sql(
      `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now() where id = $1`,
      [reader.contactId],
    );
    expect((await visit(reader.path('unsubscribe'), '')).status).toBe(200);
    expect(await countedFor(reader.campaignId ?? '')).toBe(0);
    expect(await journal()).toEqual([]);
    expect(await contactOf(reader)).toMatchObject({ subscribed: false, suppressionReason: 'bounce' });
  });

  it('works for a disabled project', async () => {
    const reader = await createTestSubscriber(stack, sender);
    await stack.sql('update projects set disabled = true where id = $1', [sender.projectId]);
    expect((await visit(reader.path('unsubscribe'), '')).status).toBe(200);
    expect(await contactOf(reader)).toMatchObject({ subscribed: false });
  });
});

describe('the pages', () => {
  it('ask before they act, show the current state, and let recipients change their mind', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const question = await visit(reader.path('unsubscribe'));
    expect(question.text).toContain(`Do you no longer want to receive our emails at ${reader.email}?`);
    expect(question.text).toContain('<button type="submit">Unsubscribe</button>');

    const done = await visit(reader.path('unsubscribe'), '');
    expect(done.text).toContain(`We will not send our emails to ${reader.email} any more.`);
    const [, undo = ''] = /<form method="post" action="([^"]+)">/.exec(done.text) ?? [];
    expect(undo).toBe(`..${reader.path('subscribe')}`);
    expect((await visit(reader.path('unsubscribe'))).text).not.toContain('<form');

    const back = await visitPage(new URL(undo, `${stack.url}${reader.path('unsubscribe')}`).href, '');
    expect(back.text).toContain(`You are subscribed. Our emails will be sent to ${reader.email}.`);
    expect(await contactOf(reader)).toMatchObject({ subscribed: true });
    expect((await visit(reader.path('subscribe'))).text).not.toContain('<form');
  });

  it('lead to each other also when a template appends something to the address', async () => {
    const reader = await createTestSubscriber(stack, sender);
    for (const suffix of ['/', '?utm_source=news', '']) {
      const path = `${reader.path('unsubscribe')}${suffix}`;
      const target = / action="([^"]+)"/.exec((await visit(path, '')).text)?.[1] ?? '';
      expect(new URL(target, `${stack.url}${path}`).pathname, suffix).toBe(reader.path('subscribe'));
    }
  });

  it('lift a suppression when the reader subscribes', async () => {
    const reader = await createTestSubscriber(stack, sender);
    await stack.sql(
      `update contacts set subscribed = false, suppression_reason = 'complaint', suppressed_at = now(),
         suppressed_email_id = $2 where id = $1`,
      [reader.contactId, reader.emailId],
    );
    expect((await visit(reader.path('subscribe'), '')).status).toBe(200);
    expect(await contactOf(reader)).toMatchObject({
      subscribed: true,
      suppressionReason: null,
      suppressedAt: null,
      suppressedEmailId: null,
    });
    const { emailId } = reader;
    expect(await journal()).toEqual([
      { name: 'contact.subscribed', kind: 'emitted', emailId, campaignId: null, data: { emailId } },
    ]);
  });

  it('switch the subscription on the preferences page', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const subscribed = await visit(reader.path('manage'));
    expect(subscribed.text).toContain(`Our emails are sent to ${reader.email}.`);
    expect(subscribed.text).toContain('name="action" value="unsubscribe"');
    expect(subscribed.text).not.toContain('value="subscribe"');

    const off = await visit(reader.path('manage'), { action: 'unsubscribe' });
    expect(off.text).toContain(`Our emails are not sent to ${reader.email}.`);
    expect(off.text).toContain(messages.en['manage.saved']);
    expect(off.text).toContain('name="action" value="subscribe"');
    expect(off.text).not.toContain('name="snooze"');
    expect(await contactOf(reader)).toMatchObject({ subscribed: false });

    await visit(reader.path('manage'), { action: 'subscribe' });
    expect(await contactOf(reader)).toMatchObject({ subscribed: true });
  });

  it.each([{}, { action: 'delete' }, { action: 'subscribed' }, { snooze: '3-weeks' }, { snooze: '' }])(
    'change nothing for a form with %j',
    async (form) => {
      const reader = await createTestSubscriber(stack, sender);
      const before = await contactOf(reader);
      const answer = await visit(reader.path('manage'), form as Record<string, string>);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(messages.en['manage.saved']);
      expect(await contactOf(reader)).toEqual(before);
    },
  );

  it.each([
    ['de-AT', 'de'],
    ['en', 'en'],
    ['es', 'es'],
    ['FR', 'fr'],
    ['it', 'it'],
    ['nl_NL', 'nl'],
    ['pt-BR', 'pt'],
    ['ja', 'en'],
    [7, 'en'],
    [null, 'en'],
  ] as const)('speak the language of the locale %j', async (locale, language) => {
    const reader = await createTestSubscriber(stack, sender, { data: { locale } });
    const text = messages[language];
    for (const [purpose, title] of [
      ['unsubscribe', text['unsubscribe.title']],
      ['subscribe', text['subscribe.title']],
      ['manage', text['manage.title']],
    ] as const) {
      const page = await visit(reader.path(purpose));
      expect(page.text).toContain(`<html lang="${language}">`);
      expect(page.text).toContain(`<h1>${title}</h1>`);
      expect(page.headers.get('content-language')).toBe(language);
    }
  });

  it('show the name and the color of the project, with readable text on it', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const name = 'Ada & Söhne <GmbH>';
    await stack.sql(`update projects set name = $2, brand_color = '#ffee00' where id = $1`, [
      sender.projectId,
      name,
    ]);
    const page = await visit(reader.path('manage'));
    expect(page.text).toContain(`<p class="project">${name}</p>`);
    expect(page.text).toContain(`<title>Your preferences · ${name}</title>`);
    expect(page.text).toContain(':root{--brand:#ffee00;--on-brand:#000000}');
    for (const color of ['red', '#FFEE00', '#ffee00}body{display:none', 'url(//evil.example)']) {
      const change = stack.sql('update projects set brand_color = $2 where id = $1', [
        sender.projectId,
        color,
      ]);
      await expect(change).rejects.toMatchObject({ constraint: 'projects_brand_color_check' });
    }
  });

  it('show erased contacts a friendly message', async () => {
    const reader = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
    await sender.delete(`/contacts/${reader.contactId}`);
    for (const purpose of ['unsubscribe', 'subscribe', 'manage'] as const) {
      for (const form of [undefined, '']) {
        const page = await visit(reader.path(purpose), form);
        expect(page.status).toBe(200);
        expect(page.text).toContain(messages.en['page.gone']);
        expect(page.text).not.toContain('<form');
      }
    }
    expect(await countedFor(reader.campaignId ?? '')).toBe(0);
  });
});

describe('the page of an email', () => {
  async function sendWithPage(to: string, body: string, data: Record<string, unknown> = {}) {
    const template = await createTemplate(sender, { subject: 'News & more', body, type: 'MARKETING' });
    const sent = await sender.post('/v1/send', { to, template, subscribed: true, data });
    const message = await arrived(stack.ses, sent);
    const [address = ''] = message?.html.match(/http[^"]+\/view\/[\w-]{64}/) ?? [];
    return { emailId: String(sent.body.data.emails[0].email), address };
  }
  const link = '<a href="{{ viewUrl }}">View in browser</a>';

  it('shows what the reader got, runs nothing, and keeps the other links working', async () => {
    const code = { value: 'A7', persistent: false };
    const body = `${link}<p>Hello {{ name }}, {{ code }}</p><script>alert(1)</script>`;
    const { address } = await sendWithPage('page@example.com', body, { name: 'Zoë', code });
    const page = await visitPage(address);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<title>News & more</title>');
    expect(page.text).toContain('<p>Hello Zoë, A7</p>');
    expect(page.text).toContain(`<a href="${address}">View in browser</a>`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^sandbox allow-popups allow-popups-to-escape-sandbox allow-downloads; default-src 'none'/,
    );
    expect(policy).not.toContain('script');
    expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const [unsubscribe = ''] = page.text.match(/http[^"]+\/unsubscribe\/[\w-]{64}/) ?? [];
    expect((await visitPage(unsubscribe)).text).toContain(messages.en['unsubscribe.button']);
  });

  it('is the body itself if that is a document, with the data that the contact has now', async () => {
    const body = `<!doctype html><html><body>${link} {{ plan }}</body></html>`;
    const { address } = await sendWithPage('document@example.com', body);
    await sender.post('/contacts', { email: 'document@example.com', data: { plan: 'pro' } });
    const page = await visitPage(address);
    expect(page.text).toMatch(/^<!doctype html><html><body><a .*<\/a> pro<div/);
    expect(page.text.match(/<html/g)).toHaveLength(1);
  });

  it('shows a test email, which is to no contact', async () => {
    const id = await createTemplate(sender, { body: `${link} Hello`, type: 'MARKETING' });
    const to = 'tester@example.com';
    expect((await sender.post(`/templates/${id}/test`, { email: to })).status).toBe(200);
    const { messages: received } = await eventually(
      () => readInbox(stack.ses, { to }),
      ({ total }) => total === 1,
    );
    const addressOf = (purpose: string) =>
      received[0]?.html.match(new RegExp(`http[^"]+/${purpose}/[\\w-]{64}`))?.[0] ?? '';
    expect((await visitPage(addressOf('view'))).text).toContain('View in browser</a> Hello');
    expect((await visitPage(addressOf('unsubscribe'))).text).toContain(messages.en['page.gone']);
  });

  it('says so when the content has expired or the contact is gone', async () => {
    const { address, emailId } = await sendWithPage('expired@example.com', link);
    await stack.sql('update emails set content_id = null where id = $1', [emailId]);
    expect((await visitPage(address)).text).toContain(messages.en['page.gone']);

    const other = await sendWithPage('erased@example.com', link);
    const contact = await readContact(stack.em(), sender.projectId, 'erased@example.com');
    await sender.delete(`/contacts/${contact?.id}`);
    const page = await visitPage(other.address);
    expect(page.status).toBe(200);
    expect(page.text).toContain(messages.en['page.gone']);
  });

  it('says that it failed, not that it was deleted, when the data of the contact has become too much for it', async () => {
    const grid = '{% for x in (1..size) %}{% for y in (1..size) %}.{% endfor %}{% endfor %}';
    const { address } = await sendWithPage('grown@example.com', `${link} ${grid}`);
    await sender.post('/contacts', { email: 'grown@example.com', data: { size: 2_000 } });
    const page = await visitPage(address);
    expect(page.text).toContain(messages.en['page.failed']);
    expect(page.text).not.toContain(messages.en['page.gone']);
  });

  it('is hidden when the project was stopped, while readers can still opt out', async () => {
    const stopped = await createTestSender(stack.url);
    const reader = await createTestSubscriber(stack, stopped);
    const content = await createTemplate(stopped, { body: link, type: 'MARKETING' });
    const sent = await stopped.post('/v1/send', { to: reader.email, template: content });
    const message = await arrived(stack.ses, sent);
    const [address = ''] = message?.html.match(/http[^"]+\/view\/[\w-]{64}/) ?? [];
    expect((await visitPage(address)).text).toContain('View in browser');
    await stack.sql('update projects set disabled = true where id = $1', [stopped.projectId]);
    expect((await visitPage(address)).text).toContain(messages.en['page.gone']);
    expect((await visit(reader.path('unsubscribe'))).text).toContain(messages.en['unsubscribe.button']);
  });
});
