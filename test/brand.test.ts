import { beforeEach, describe, expect, it } from 'vitest';
import type { TestAnswer } from './setup/answer.ts';
import { eventually } from './setup/eventually.ts';
import { fileFixture } from './setup/fixtures.ts';
import { arrived, messageOf } from './setup/inbox.ts';
import { createTestPerson } from './setup/people.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, visitPage } from './setup/subscribers.ts';

const stack = useSharedProduct();
const owner = fileFixture(() => createTestPerson(stack.url));
const sender = useSender(stack);
beforeEach(async () => {
  await stack.sql(`insert into memberships (project_id, user_id, role) values ($1, $2, 'MEMBER')`, [
    sender.projectId,
    owner.id,
  ]);
});

const address = 'Acme GmbH\nTorstraße 1\n10115 Berlin';
const german = { footerAddress: address, language: 'de' };
const patch = (brand: object): Promise<TestAnswer> =>
  owner.call('PATCH', `/users/@me/projects/${sender.projectId}`, brand);
const content = (changes: object = {}) => ({
  name: 'News',
  subject: 'News',
  body: '<p>Hi</p>',
  from: `news@${sender.domain}`,
  type: 'MARKETING',
  ...changes,
});
const createTemplate = async (changes: object = {}): Promise<string> =>
  (await sender.post('/templates', content(changes))).body.id;
const send = (template: string, changes: object = {}) =>
  sender.post('/v1/send', { to: 'ada@example.com', template, subscribed: true, ...changes });

function expectGerman({ html, text }: { html: string; text: string }): void {
  expect(html).toMatch(
    /^<p>Hi<\/p><div .*Sie erhalten diese E-Mail.*>Abmelden<\/a> · .*>Einstellungen ändern<\/a><br><br>Acme GmbH<br>Torstraße 1<br>10115 Berlin<\/div>$/,
  );
  expect(text).toMatch(/^Hi\n\n-- \nSie erhalten/);
  expect(text).toMatch(
    /\nAbmelden: http.*\nEinstellungen ändern: http.*\n\nAcme GmbH\nTorstraße 1\n10115 Berlin$/,
  );
}

describe('footer address and language of a project', () => {
  it('apply to the next email, its record, a preview, a test send and a campaign', async () => {
    const template = await createTemplate();
    const before = await arrived(stack.ses, await send(template));
    expect(before.text).toMatch(
      /^Hi\n\n-- \nYou receive this .*\nUnsubscribe: .*\nChange your preferences: \S+$/,
    );

    expect((await patch(german)).status).toBe(200);
    const sent = await send(template);
    expectGerman(await arrived(stack.ses, sent));
    expectGerman((await sender.get(`/emails/${sent.body.data.emails[0].email}`)).body.body);
    for (const kind of ['templates', 'campaigns']) {
      expectGerman((await sender.post(`/${kind}/preview`, content())).body);
    }

    const draft = { brand: { footerAddress: null, language: 'nl' } };
    const { text } = (await sender.post('/templates/preview', content(draft))).body;
    expect(text).toMatch(/\nAfmelden: \S+\nVoorkeuren wijzigen: \S+$/);

    expect((await sender.post(`/templates/${template}/test`, { email: 'me@example.com' })).status).toBe(200);
    const { id } = (await sender.post('/campaigns', content({ audienceType: 'ALL' }))).body.data;
    expect((await sender.post(`/campaigns/${id}/send`, {})).status).toBe(200);
    for (const source of ['TEST', 'CAMPAIGN']) {
      const { body } = await eventually(
        () => sender.get(`/emails?source=${source}`),
        (answer) => answer.body.data.length === 1,
      );
      expectGerman(await messageOf(stack.ses, body.data[0].id));
    }
  });

  it("do not affect a contact's own language, other types and other projects", async () => {
    const other = await createTestSender(stack.url);
    await patch(german);
    const inFrench = { to: 'amelie@example.com', data: { locale: 'fr' } };
    const french = await arrived(stack.ses, await send(await createTemplate(), inFrench));
    expect(french.text).toContain('Se désabonner');
    expect(french.text).toContain(address);
    const plain = await arrived(stack.ses, await send(await createTemplate({ type: 'TRANSACTIONAL' })));
    expect([plain.html, plain.text]).toEqual(['<p>Hi</p>', 'Hi']);
    const { body } = await other.post('/templates/preview', content({ from: null }));
    expect(body.html).toContain('>Unsubscribe</a>');
    expect(body.html).not.toContain('Acme');
  });

  it('are treated as text whatever they contain', async () => {
    const hostile = `</div><script>alert(1)</script>\r\n{{ email }} {% raw %} "'&\rA ${'\ufdd0'}`;
    expect((await patch({ footerAddress: hostile })).body.footerAddress).toBe(
      `</div><script>alert(1)</script>\n{{ email }} {% raw %} "'&\nA ${'\ufdd0'}`,
    );
    const { html, text } = await arrived(stack.ses, await send(await createTemplate()));
    expect(html).toContain(
      '<br><br>&lt;/div&gt;&lt;script&gt;alert(1)&lt;/script&gt;<br>{{ email }} {% raw %} &quot;&#39;&amp;<br>A ',
    );
    expect(html).toMatch(/<\/div>$/);
    expect(text).toContain(`\n\n</div><script>alert(1)</script>\n{{ email }} {% raw %} "'&\nA `);
  });
});

describe('the brand on public pages', () => {
  const logoUrl = 'https://cdn.example.com/logo.png?a=1&b=2';

  it('is the language and the logo of the project, in place of its name', async () => {
    await patch({ ...german, logoUrl });
    const reader = await createTestSubscriber(stack, sender);
    for (const [purpose, title] of [
      ['unsubscribe', 'Abmelden'],
      ['subscribe', 'Anmelden'],
      ['manage', 'Ihre Einstellungen'],
    ] as const) {
      const page = await visitPage(`${stack.url}${reader.path(purpose)}`, undefined, {
        'Accept-Language': 'fr',
      });
      expect(page.text).toContain('<html lang="de">');
      expect(page.text).toContain(`<h1>${title}</h1>`);
      expect(page.text).toMatch(
        /<p class="project"><img src="https:\/\/cdn\.example\.com\/logo\.png\?a=1&b=2" alt="Project \d+" referrerpolicy="no-referrer"><\/p>/,
      );
      expect(page.headers.get('content-language')).toBe('de');
      expect(page.headers.get('content-security-policy')).toContain('; img-src https://cdn.example.com; ');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    }
    await sender.delete(`/contacts/${reader.contactId}`);
    const gone = await visitPage(`${stack.url}${reader.path('manage')}`);
    expect(gone.text).toContain('Die Daten zu diesem Link wurden gelöscht.');
    const french = { 'Accept-Language': 'fr' };
    expect((await visitPage(`${stack.url}${reader.path('manage')}`, undefined, french)).text).toContain(
      '<html lang="fr">',
    );
  });

  it("adds nothing from the logo's URL to the page", async () => {
    await patch({ logoUrl: `https://cdn.example.com/"onerror='alert(1)'><script>.png;script-src *` });
    const reader = await createTestSubscriber(stack, sender);
    const answer = await fetch(`${stack.url}${reader.path('manage')}`);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain('; img-src https://cdn.example.com; form-action');
    expect(policy).not.toContain('script-src');
    expect(await answer.text()).toContain(
      '<img src="https://cdn.example.com/%22onerror=&#39;alert(1)&#39;%3E%3Cscript%3E.png;script-src%20*" alt="Project ',
    );
  });

  it('allows no image without a logo', async () => {
    await patch({ logoUrl });
    await patch({ logoUrl: null });
    const reader = await createTestSubscriber(stack, sender);
    const page = await visitPage(`${stack.url}${reader.path('manage')}`);
    expect(page.text).not.toContain('<img');
    expect(page.headers.get('content-security-policy')).not.toContain('img-src');
  });
});

it.each([
  [{ logoUrl: 'http://cdn.example.com/logo.png' }, 'logoUrl'],
  [{ logoUrl: 'javascript:alert(1)' }, 'logoUrl'],
  [{ logoUrl: 'https://a;script-src*/logo.png' }, 'logoUrl'],

  [{ logoUrl: 7 }, 'logoUrl'],
  [{ footerAddress: ' \n ' }, 'footerAddress'],
  [{ footerAddress: 'x'.repeat(301) }, 'footerAddress'],
  [{ footerAddress: 'Acme\u0007Berlin' }, 'footerAddress'],
  [{ language: 'tlh' }, 'language'],
  [{ language: null }, 'language'],
])('refuses %j and changes nothing', async (brand, field) => {
  await patch({ ...german, logoUrl: 'https://cdn.example.com/logo.png' });
  const { status, body } = await patch({ name: 'Changed', ...brand });
  expect([status, body.error.errors[0].field]).toEqual([422, field]);
  expect((await patch({})).body).toMatchObject({
    ...german,
    name: expect.not.stringMatching('Changed'),
    logoUrl: 'https://cdn.example.com/logo.png',
  });
});
