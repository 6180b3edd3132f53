import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { onlyMessageTo } from './setup/inbox.ts';
import { deliver } from './setup/incoming.ts';
import { memberOf, planIs, where } from './setup/segments.ts';

const executable = await findChromium();
const domain = 'mail.records.test';

describe.skipIf(executable === undefined)('in the dashboard', () => {
  const { stage, owner, project, tab, page, button, link, field, heading, sideBar, asked } =
    useDashboardStory(executable, 'Records');
  const post = (path: string, body: object) => owner.call('POST', path, body, { 'X-Project-Id': project.id });

  it('a received email is read from the activity', async () => {
    const { id } = (await post('/domains', { domain })).body;
    await asked(`/domains/${id}/verify`);
    await deliver(stage.stack, {
      from: 'Ada <ada@example.com>',
      to: [`support@${domain}`],
      subject: 'A question',
      text: 'In plain words',
      html: '<p>How do I pay <a href="https://bill.test/">this bill</a>?</p>',
      attachments: [{ filename: 'bill.txt', content: Buffer.from('1').toString('base64') }],
    });
    await eventually(
      () => asked('/activity?types=email.received'),
      ({ body }) => body.data.length === 1,
    );
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}/activity?kind=received`);
    await link('“A question”').click();
    const drawer = page.getByRole('dialog', { name: 'Received email' });
    const blocked = page.waitForEvent('console', (message) => message.text().startsWith('Blocked opening'));
    await drawer.frameLocator('iframe').getByRole('link', { name: 'this bill' }).click();
    await blocked;
    expect(tab.complaints()).toEqual([expect.stringMatching(/^Blocked opening/)]);
    await drawer.frameLocator('iframe').getByText('How do I pay this bill?').waitFor();
    await drawer.getByText('1 attachment: bill.txt').waitFor();
    await drawer.getByRole('tab', { name: 'Text' }).click();
    await drawer.getByText('In plain words').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/kind=received$/);
  });

  it('a domain is found by part of its name, and a removed one offers no actions', async () => {
    const { id } = (await post('/domains', { domain: 'other.records.test' })).body;
    await sideBar('Domains').click();
    await link('other.records.test').waitFor();
    await page.getByRole('searchbox', { name: 'Search domains' }).fill('MAIL.');
    await link('other.records.test').waitFor({ state: 'detached' });
    await link(domain).waitFor();
    await post('/domains', { domain: 'münchen.records.test' });
    await page.reload();
    await page.getByRole('searchbox', { name: 'Search domains' }).fill('München.');
    await link('xn--mnchen-3ya.records.test').waitFor();
    await page.getByRole('searchbox', { name: 'Search domains' }).fill('none');
    await page.getByText('Nothing matches').waitFor();
    await page.goto(`projects/${project.id}/domains/${id}`);
    await button('Check now').waitFor();
    await owner.call('DELETE', `/domains/${id}`, undefined, { 'X-Project-Id': project.id });
    await page.reload();
    await page.getByText('This domain is not in the project.').waitFor();
    expect(await button('Check now').or(button('Remove')).count()).toBe(0);
  });

  it('the domain of a mailbox provider is refused, and the final dot of a name in DNS is not', async () => {
    await page.goto(`projects/${project.id}/domains`);
    await button('Add a domain').click();
    await field('Domain').fill('ada@Gmail.com');
    await button('Add the domain').click();
    await page.getByText(/^Only this mailbox provider can add DNS records/).waitFor();
    await field('Domain').fill('dotted.records.test.');
    await button('Add the domain').click();
    await heading('dotted.records.test').waitFor();
  });

  it('a domain waiting for DNS lists its records, and copies them all at once', async () => {
    const waiting = 'waiting.records.test';
    const { id } = (await post('/domains', { domain: waiting })).body;
    const identity = { method: 'PUT', body: JSON.stringify({ status: 'pending' }) };
    await fetch(`${stage.stack.ses.url}/api/identities/${waiting}`, identity);
    expect((await asked(`/domains/${id}/verify`)).body.verified).toBe(false);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`projects/${project.id}/domains/${id}`);
    await page.getByText(/A domain that was never verified is removed after seven days/).waitFor();
    const textOf = (name: string) => page.getByRole('table', { name }).textContent();
    expect(await textOf('Required DNS records')).not.toContain('_dmarc');
    expect(await textOf('Recommended DNS records')).toContain(`_dmarc.${waiting}`);
    // It would take the email of the domain away from its mailboxes.
    expect(await textOf('Recommended DNS records')).not.toContain('inbound-smtp');
    expect(await textOf('Optional DNS records')).toContain('inbound-smtp');
    await page.getByText(/Leave it out if waiting\.records\.test already has mailboxes elsewhere/).waitFor();
    await button('Copy all').click();
    await page.getByText(/^Records copied/).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^TXT\t_posthaste\.waiting\.records\.test\tposthaste-verification=\S+$/),
        expect.stringMatching(/^MX\tbounce\.waiting\.records\.test\t10 feedback-smtp\.\S+$/),
      ]),
    );
    expect(copied).not.toContain('inbound-smtp');
  });

  it('a domain whose mailboxes are elsewhere is not told to move them', async () => {
    const { id } = (await post('/domains', { domain: 'elsewhere.records.test' })).body;
    const path = '**/domains/project/*';
    await page.route(path, async (route) => {
      const { data } = await (await route.fetch()).json();
      for (const { records } of data) {
        for (const record of records.filter(({ purpose }: { purpose: string }) => purpose === 'INBOUND'))
          Object.assign(record, { found: false, others: ['1 aspmx.l.google.com'] });
      }
      await route.fulfill({ json: { data } });
    });
    await page.goto(`projects/${project.id}/domains/${id}`);
    const record = page.getByRole('row', { name: /^Elsewhere MX/ });
    await record.getByText('Email to this domain is received here, and should stay there:').waitFor();
    await record.getByText('1 aspmx.l.google.com', { exact: true }).waitFor();
    await page.unroute(path);
  });

  it('a domain shows what DNS has instead of a record', async () => {
    const wrong = 'wrong.records.test';
    const { id } = (await post('/domains', { domain: wrong })).body;
    const texts = ['posthaste-verification=mistyped'];
    const zone = `${stage.stack.ses.url}/api/records/_posthaste.${wrong}`;
    await fetch(zone, { method: 'PUT', body: JSON.stringify({ texts }) });
    await page.goto(`projects/${project.id}/domains/${id}`);
    await button('Check now').click();
    await page.getByText('Some records are not as listed. Compare them below.').waitFor();
    const record = page.getByRole('row', { name: /^Other value TXT/ });
    await record.getByText('DNS has this instead:').waitFor();
    await record.getByText('posthaste-verification=mistyped', { exact: true }).waitFor();
    await page.getByText(/^Last check:/).waitFor();
  });

  it('a domain shows a record whose name its DNS provider has completed twice', async () => {
    const doubled = 'doubled.records.test';
    const { id, records } = (await post('/domains', { domain: doubled })).body;
    const put = (name: string, texts: string[]) =>
      fetch(`${stage.stack.ses.url}/api/records/${name}`, { method: 'PUT', body: JSON.stringify({ texts }) });
    const { name, value } = records.find(({ purpose }: { purpose: string }) => purpose === 'OWNERSHIP');
    await put(name, []);
    await put(`${name}.records.test`, [value]);
    await page.goto(`projects/${project.id}/domains/${id}`);
    await button('Check now').click();
    await page.getByText('Some records are not as listed. Compare them below.').waitFor();
    const record = page.getByRole('row', { name: /^Wrong place TXT/ });
    await record.getByText(`${name}.records.test`, { exact: true }).waitFor();
    await record.getByText(/enter _posthaste\.doubled as the name/).waitFor();
  });

  it('a contact that bounced says so, until somebody subscribes it again', async () => {
    const { id } = (await post('/contacts', { email: 'bounced@example.com' })).body;
    await stage.stack.sql(
      `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now() where id = $1`,
      [id],
    );
    await sideBar('Contacts').click();
    await page
      .getByRole('row', { name: /bounced@example.com/ })
      .getByText('Bounced', { exact: true })
      .waitFor();
    await link('bounced@example.com').click();
    await page.getByText(/^Off since an email to this address hard-bounced/).waitFor();
    await page.getByText('Gets campaigns and other marketing').click();
    await page.getByText(/^Off since/).waitFor({ state: 'detached' });
    await page.getByText('Subscribed', { exact: true }).first().waitFor();
  });

  it('a text that is no address is refused beside its field', async () => {
    await sideBar('Contacts').click();
    await button('Add contact').click();
    const dialog = page.getByRole('dialog', { name: 'Add a contact' });
    const address = dialog.getByRole('textbox', { name: 'Address' });
    for (const text of ['ada', '😀@example.com']) {
      await address.fill(text);
      await dialog.getByRole('button', { name: 'Add contact' }).click();
      await dialog.getByText('Enter an address, such as').waitFor();
      expect(await dialog.getByRole('alert').count()).toBe(0);
    }
    // The form of the second one is that of an address, so only the API refuses it.
    expect(tab.complaints()).toEqual([expect.stringContaining('status of 400')]);
    // A press beside the dialog keeps what was typed.
    await page.mouse.click(5, 5);
    expect(await address.inputValue()).toBe('😀@example.com');
    await address.fill('Ada <typed@example.com>');
    await dialog.getByRole('button', { name: 'Add contact' }).click();
    await heading('typed@example.com').waitFor();
  });

  it('the list of campaigns shows the status on a phone, however long a subject is', async () => {
    const subject = 'The subject of a newsletter that says all that is new this month';
    const campaign = { name: 'News', subject, body: '<p>Hello</p>', from: `hello@${domain}` };
    await post('/campaigns', { ...campaign, audienceType: 'ALL' });
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`projects/${project.id}/campaigns`);
    const status = await page.getByRole('row', { name: /News/ }).getByText('Draft').boundingBox();
    expect(status && status.x + status.width).toBeLessThanOrEqual(360);
    if (desktop) await page.setViewportSize(desktop);
  });

  it('the report of a test shows the other subject beside it, and whether the difference could be chance', async () => {
    await post('/contacts', { email: 'compared@example.com' });
    const content = { body: '<p>Hello</p>', from: `hello@${domain}`, audienceType: 'ALL' };
    for (const part of ['A', 'B', 'C']) {
      const draft = { name: `Sale (${part})`, subject: `Subject ${part}`, ...content };
      await post(`/campaigns/${(await post('/campaigns', draft)).body.data.id}/send`, {});
    }
    const [, other, own] = (
      await eventually(
        () => asked('/campaigns?search=Sale'),
        ({ body }) => body.data.every(({ status }: { status: string }) => status === 'SENT'),
      )
    ).body.data;
    await page.goto(`projects/${project.id}/campaigns/${own.id}`);
    const rows = page.getByRole('table', { name: 'Comparison' }).getByRole('row');
    await rows.getByText('Subject B').waitFor();
    expect(await rows.nth(1).textContent()).toContain(`Sale (A)Subject A${own.sentCount}`);
    expect(await rows.nth(2).textContent()).toContain(`Sale (B)Subject B${other.sentCount}`);
    await page.getByText('Opened: too few people to tell.').waitFor();
    await button(/Compare with/).click();
    await page.getByRole('option', { name: 'Sale (C)' }).click();
    await rows.getByText('Subject C').waitFor();
    expect(page.url()).toContain('compare=');
  });

  it('the filters of a list stay in their place while it loads', async () => {
    const release = Promise.withResolvers<void>();
    await page.route('**/campaigns?**', async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.goto(`projects/${project.id}/campaigns`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    const filters = page.getByRole('searchbox', { name: 'Search names and subjects' });
    const before = await filters.boundingBox();
    release.resolve();
    await page
      .getByRole('status')
      .getByText(/campaigns?$/)
      .waitFor();
    expect(await filters.boundingBox()).toEqual(before);
    await page.unroute('**/campaigns?**');
  });

  it('says that it is loading before its code has arrived', async () => {
    const release = Promise.withResolvers<void>();
    const code = '**/assets/index-*.js';
    await page.route(code, async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.goto(`projects/${project.id}/campaigns`, { waitUntil: 'commit' });
    const sign = page.getByText('Loading …', { exact: true });
    await sign.waitFor();
    release.resolve();
    await heading('Campaigns').waitFor();
    expect(await sign.isVisible()).toBe(false);
    await page.unroute(code);
  });

  it('a reserved name is refused for a field of a contact', async () => {
    const { id } = (await post('/contacts', { email: 'fields@example.com' })).body;
    await page.goto(`projects/${project.id}/contacts/${id}`);
    await button('Add a field').click();
    const name = page.getByRole('combobox', { name: 'Field' });
    await name.fill('plunk_id');
    await page.getByRole('textbox', { name: 'Value' }).fill('7');
    await button('Add').click();
    await page.getByText('This name is reserved').waitFor();
    await name.fill('number');
    await button('Add').click();
    await page.getByText('number is saved').waitFor();
    expect((await asked(`/contacts/${id}`)).body.data).toEqual({ number: '7' });
    // A name that the contact has already would replace its value.
    await button('Add a field').click();
    await name.fill('number');
    await page.getByRole('textbox', { name: 'Value' }).fill('8');
    await button('Add').click();
    await page.getByText('The contact has this field already').waitFor();
    expect((await asked(`/contacts/${id}`)).body.data).toEqual({ number: '7' });
    await button('Cancel').click();
  });

  it('columns of fields with the same label go one by one', async () => {
    const data = { city: 'London', firstName: 'Ada', first_name: 'Augusta' };
    await post('/contacts', { email: 'columns@example.com', data });
    await page.goto(`projects/${project.id}/contacts?search=columns@`);
    const headers = async () => (await page.getByRole('columnheader').allTextContents()).slice(3);
    const toggle = async (label: string) => {
      await button('Columns').click();
      const boxes = page.getByRole('dialog', { name: 'Columns' }).getByText(label, { exact: true });
      await boxes.first().waitFor();
      for (const box of await boxes.all()) await box.click();
      await page.keyboard.press('Escape');
    };
    await toggle('City');
    await toggle('First name');
    await expect.poll(headers).toEqual(['City', 'First name', 'First name', 'Added']);
    await toggle('City');
    await expect.poll(headers).toEqual(['First name', 'First name', 'Added']);
    await toggle('First name');
    await expect.poll(headers).toEqual(['Added']);
  });

  it('what was entered for a new segment stays when its kind is changed', async () => {
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Readers');
    await page.getByRole('textbox', { name: 'Description' }).fill('Of the newsletter');
    await button(/Membership$/).click();
    await page.getByRole('option', { name: 'By hand' }).click();
    await page.getByText('Who belongs').waitFor({ state: 'detached' });
    await button('Create segment').click();
    await heading('Readers').waitFor();
    const { data } = (await asked('/segments')).body;
    expect(data).toMatchObject([{ name: 'Readers', description: 'Of the newsletter', type: 'STATIC' }]);
  });

  it('what is typed while a segment is being saved stays as an unsaved change', async () => {
    const { id } = (await post('/segments', { name: 'All', type: 'STATIC' })).body;
    const saving = Promise.withResolvers<void>();
    await page.route(`**/segments/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await saving.promise;
      await route.continue();
    });
    await page.goto(`projects/${project.id}/segments/${id}?tab=settings`);
    const description = page.getByRole('textbox', { name: 'Description' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Subscribers ');
    const begun = page.waitForRequest((request) => request.method() === 'PATCH');
    await button('Save').click();
    await begun;
    await description.fill('Typed meanwhile');
    saving.resolve();
    await heading('Subscribers').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await description.inputValue()).toBe('Typed meanwhile');
    await sideBar('Contacts').click();
    await button('Leave').click();
    await heading('Contacts').waitFor();
    await page.unroute(`**/segments/${id}`);
  });

  it('a segment and the settings keep what was typed beside a change from another tab, and load that', async () => {
    const { id } = (await post('/segments', { name: 'Shared', type: 'STATIC' })).body;
    const patch = (path: string, body: object) =>
      owner.call('PATCH', path, body, { 'X-Project-Id': project.id });
    const warning = page.getByRole('dialog', { name: 'Someone else has saved a change' });
    for (const [address, path, mine, theirs] of [
      [`segments/${id}?tab=settings`, `/segments/${id}`, 'Description', { name: 'Theirs' }],
      ['settings', `/users/@me/projects/${project.id}`, 'Postal address', { name: 'Their records' }],
    ] as const) {
      await page.goto(`projects/${project.id}/${address}`);
      const [name, other] = ['Name', mine].map((label) => page.getByRole('textbox', { name: label }));
      await other?.fill('Mine');
      expect((await patch(path, theirs)).status).toBe(200);
      await button('Save').click();
      await warning.getByRole('button', { name: 'Load theirs' }).click();
      await warning.waitFor({ state: 'detached' });
      expect(await name?.inputValue()).toBe(theirs.name);
      expect(await other?.inputValue()).toBe('');
      await button('Undo').click();
      expect(await other?.inputValue()).toBe('Mine');
      await button('Save').click();
      await page
        .getByRole('alertdialog')
        .getByText(/saved|Saved/)
        .waitFor();
    }
    expect((await asked(`/segments/${id}`)).body).toMatchObject({ name: 'Shared', description: 'Mine' });
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('a form without unsaved input shows what was saved elsewhere', async () => {
    const { id } = (await post('/segments', { name: 'Followed', type: 'STATIC' })).body;
    await page.goto(`projects/${project.id}/segments/${id}?tab=settings`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    const renamed = { name: 'Renamed' };
    await owner.call('PATCH', `/segments/${id}`, renamed, { 'X-Project-Id': project.id });
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Count the members again' }).click();
    await heading('Renamed').waitFor();
    await expect.poll(() => name.inputValue()).toBe('Renamed');
  });

  it('a field of a contact is saved beside another one from another tab, and replaces its own only after a warning', async () => {
    const data = { tier: 'free', seat: 1 };
    const { id } = (await post('/contacts', { email: 'shared@example.com', data })).body;
    const changed = async (theirs: object) =>
      expect(
        (await owner.call('PATCH', `/contacts/${id}`, { data: theirs }, { 'X-Project-Id': project.id }))
          .status,
      ).toBe(200);
    await page.goto(`projects/${project.id}/contacts/${id}`);
    const tier = page.getByRole('textbox', { name: 'tier', exact: true });
    await tier.fill('pro');
    await changed({ seat: 2 });
    await button('Save tier').click();
    await page.getByText('tier is saved').waitFor();
    expect((await asked(`/contacts/${id}`)).body.data).toEqual({ tier: 'pro', seat: 2 });
    await tier.fill('max');
    await changed({ tier: 'team' });
    await button('Save tier').click();
    await page.getByText('Changed meanwhile to “team”. Save again to replace it.').waitFor();
    expect((await asked(`/contacts/${id}`)).body.data.tier).toBe('team');
    await button('Save tier').click();
    await page.getByText('tier is saved').nth(1).waitFor();
    expect((await asked(`/contacts/${id}`)).body.data.tier).toBe('max');
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('a field of a contact has nothing to save once it is as before', async () => {
    const { id } = (await post('/contacts', { email: 'back@example.com', data: { tier: 'free', seat: 1 } }))
      .body;
    await page.goto(`projects/${project.id}/contacts/${id}`);
    const tier = page.getByRole('textbox', { name: 'tier', exact: true });
    await tier.fill('pro');
    await button('Save tier').waitFor();
    await tier.fill('free');
    await button('Save tier').waitFor({ state: 'detached' });
    await button(/Type of seat$/).click();
    await page.getByRole('option', { name: 'Text' }).click();
    await button('Save seat').waitFor();
    await button(/Type of seat$/).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await button('Save seat').waitFor({ state: 'detached' });
    // Without a question about leaving.
    await sideBar('Contacts').click();
    await heading('Contacts').waitFor();
  });

  it('a long message fits on a phone', async () => {
    const name = 'How did you hear about us, and who told you?';
    const { id } = (await post('/contacts', { email: 'phone@example.com', data: { [name]: 'Ada' } })).body;
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`projects/${project.id}/contacts/${id}`);
    await button(`Delete ${name}`).click();
    const message = page.getByRole('alertdialog').filter({ hasText: `${name} is deleted` });
    const { x = 0, width = 0 } = (await message.boundingBox()) ?? {};
    expect([x >= 0, x + width <= 360]).toEqual([true, true]);
    if (desktop) await page.setViewportSize(desktop);
  });

  it('the emails of a contact are shown, and those of everybody after that', async () => {
    const from = `hello@${domain}`;
    for (const to of ['first@example.com', 'second@example.com'])
      expect((await post('/v1/send', { to, from, subject: 'Hello', body: '<p>Hello</p>' })).status).toBe(200);
    const { id } = (await asked('/contacts?search=first@example.com')).body.data[0];
    await page.goto(`projects/${project.id}/contacts/${id}`);
    await link('Show emails').click();
    await page.getByText('To first@example.com').waitFor();
    await link('first@example.com').nth(1).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await button('Show all emails').click();
    await link('second@example.com').waitFor();
  });

  it('a transactional email that bounced is sent again as it was, to a corrected address', async () => {
    const note = '50 % off {{ code }} {% endraw %}';
    const sent = await post('/v1/send', {
      to: { email: 'bounce@simulator.amazonses.com', name: 'Ken' },
      from: { name: 'Northwind', email: `hello@${domain}` },
      reply: 'support@example.com',
      subject: 'Receipt: {{ note }}',
      body: '<p>{{ note }}</p><a href="{{ manageUrl }}">Preferences</a> https://x.test/?to={{ manageUrl | url_encode }}',
      data: { note: { value: note, persistent: false } },
      headers: { 'X-Order': '7' },
    });
    const [{ contact }] = sent.body.data.emails;
    await eventually(
      () => asked(`/activity?contactId=${contact.id}&types=email.bounced`),
      ({ body }) => body.data.length === 1,
    );
    await page.goto(`projects/${project.id}/contacts/${contact.id}`);
    await link('Email bounced').click();
    await button('Send again …').click();
    const dialog = page.getByRole('dialog', { name: 'Send again' });
    await dialog.getByText(/^An email to bounce@\S+ hard-bounced\. Send there again only if/).waitFor();
    expect(await field('Address').inputValue()).toBe('bounce@simulator.amazonses.com');
    await field('Address').fill('ken@example.com');
    await dialog.getByText(/hard-bounced/).waitFor({ state: 'detached' });
    await button('Send').click();
    await page
      .getByRole('dialog', { name: 'Email' })
      .getByRole('link', { name: 'ken@example.com' })
      .waitFor();
    const message = await onlyMessageTo(stage.stack.ses, 'ken@example.com');
    expect(message).toMatchObject({
      from: `Northwind <hello@${domain}>`,
      replyTo: 'support@example.com',
      subject: `Receipt: ${note}`,
      headers: { 'X-Order': '7' },
    });
    expect(message.html).toContain(`<p>${note}</p>`);
    // The link is the new recipient's.
    const manage = /href="([^"]*)"/.exec(message.html)?.[1] ?? '';
    expect(await (await fetch(manage)).text()).toContain('ken@example.com');
    expect(message.html).toContain(`https://x.test/?to=${encodeURIComponent(manage)}`);
  });

  it('an email sent again says before that it will be withheld, and how it would not be', async () => {
    const to = 'bounce@simulator.amazonses.com';
    const settings = `/users/@me/projects/${project.id}`;
    await owner.call('PATCH', settings, { suppressTransactional: true });
    const from = `hello@${domain}`;
    const sent = await post('/v1/send', { to: 'mai@example.com', from, subject: 'Hello', body: 'Hello' });
    const { email } = sent.body.data.emails[0];
    await eventually(
      () => asked(`/emails/${email}`),
      ({ body }) => body.status === 'DELIVERED',
    );
    await page.goto(`projects/${project.id}/emails?email=${email}`);
    await button('Send again …').click();
    await field('Address').fill(to.toUpperCase());
    const dialog = page.getByRole('dialog', { name: 'Send again' });
    await dialog.getByText(/hard-bounced, so this one will be withheld/).waitFor();
    await button('Send').click();
    await page.getByText(`The email to ${to.toUpperCase()} is queued`).waitFor();
    await owner.call('PATCH', settings, { suppressTransactional: false });
  });

  it('an email with attachments, which the dashboard can’t read, is not sent again without them', async () => {
    const file = { filename: 'invoice.pdf', content: 'aGVsbG8=', contentType: 'application/pdf' };
    const from = `hello@${domain}`;
    const content = { from, subject: 'Invoice', body: '<p>Attached</p>', attachments: [file] };
    const sent = await post('/v1/send', { to: 'invoiced@example.com', ...content });
    await page.goto(`projects/${project.id}/emails?email=${sent.body.data.emails[0].email}`);
    await page.getByText(/^An email with attachments can’t be sent again from here/).waitFor();
    expect(await button('Send again …').count()).toBe(0);
  });

  it('the header of a page scrolls away in a low window, as at a zoom of 200%, and stays in others', async () => {
    const topOf = async () => (await page.locator('main header').boundingBox())?.y;
    const scroll = () => page.evaluate(`document.scrollingElement.scrollTo(0, 300)`);
    await page.goto(`projects/${project.id}/templates/new`);
    await button('Create template').waitFor();
    await page.setViewportSize({ width: 720, height: 450 });
    await scroll();
    await expect.poll(topOf).toBe(0);
    await page.setViewportSize({ width: 640, height: 400 });
    await scroll();
    await expect.poll(topOf).toBeLessThan(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('the back button leaves a page whose preview has changed', async () => {
    await page.goto(`projects/${project.id}/images`);
    await heading('Images').waitFor();
    await sideBar('Settings').click();
    for (const address of ['1 Market Street', '2 Market Street']) {
      await field('Postal address').fill(address);
      await page.frameLocator('iframe[title]').getByText(address).waitFor();
    }
    await page.evaluate('history.back()');
    await button('Leave').click();
    await heading('Images').waitFor();
  });

  it('a preview shows what it had until its new content has loaded', async () => {
    await page.goto(`projects/${project.id}/settings`);
    const preview = page.frameLocator('iframe[title]');
    await field('Postal address').fill('1 Market Street');
    await preview.getByText('1 Market Street').waitFor();
    await page.evaluate(`{
      const loaded = new WeakSet(document.querySelectorAll('iframe[title]'));
      document.addEventListener('load', ({ target }) => loaded.add(target), true);
      window.blankFrames = 0;
      new MutationObserver(() => {
        for (const frame of document.querySelectorAll('iframe[title]')) if (!loaded.has(frame)) blankFrames += 1;
      }).observe(document.body, { childList: true, subtree: true, attributes: true });
    }`);
    await field('Postal address').fill('2 Market Street');
    await preview.getByText('2 Market Street').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await page.evaluate('blankFrames')).toBe(0);
    await sideBar('Images').click();
    await button('Leave').click();
  });

  it('contacts are found by part of their names, too', async () => {
    const named = (email: string, firstName: string, lastName: string) =>
      post('/contacts', { email, data: { firstName, lastName } });
    await named('gh@names.test', 'Grace', 'Hopper');
    await named('hopper@names.test', 'Edward', 'H.');
    await named('ada@names.test', 'Ada', 'Lovelace');
    await page.goto(`projects/${project.id}/contacts`);
    const search = page.getByRole('searchbox', { name: 'Search addresses and names' });
    const byName = page.getByRole('region', { name: 'Found by name' });
    await search.fill('hopper');
    await byName
      .getByRole('listitem')
      .filter({ hasText: 'gh@names.test' })
      .getByText('Grace Hopper')
      .waitFor();
    expect(await byName.getByRole('listitem').count()).toBe(1);
    expect(await page.getByRole('table').getByRole('link').allTextContents()).toEqual(['hopper@names.test']);
    await search.fill('Lovelace');
    await page.getByText('No address contains this').waitFor();
    await byName.getByRole('link', { name: 'ada@names.test' }).click();
    await heading('ada@names.test').waitFor();
  });

  it('the members of a segment show what was changed about one of them', async () => {
    const { id } = (await post('/segments', { name: 'Circle', type: 'STATIC' })).body;
    await post(`/segments/${id}/members`, { emails: ['member@example.com'], createMissing: true });
    await page.goto(`projects/${project.id}/segments/${id}`);
    const row = page.getByRole('row', { name: /member@example.com/ });
    await row.getByText('Subscribed', { exact: true }).waitFor();
    await link('member@example.com').click();
    await page.getByText('Gets campaigns and other marketing').click();
    await page.getByText('Unsubscribed', { exact: true }).first().waitFor();
    await page.goBack();
    await row.getByText('Unsubscribed', { exact: true }).waitFor();
  });

  it('a template can be deleted once no workflow sends it, without loading the dashboard again', async () => {
    const content = { subject: 'Hello', body: '<p>Hello</p>', from: `hello@${domain}` };
    const { id: templateId } = (await post('/templates', { name: 'Greeting', ...content })).body;
    const { id: workflowId } = (await post('/workflows', { name: 'Greets', eventName: 'signed up' })).body;
    const step = { name: 'Greet', type: 'SEND_EMAIL', config: { templateId } };
    const { id: stepId } = (await post(`/workflows/${workflowId}/steps`, step)).body;
    await page.goto(`projects/${project.id}/templates/${templateId}`);
    await link('Greets').waitFor();
    await owner.call('DELETE', `/workflows/${workflowId}/steps/${stepId}`, undefined, {
      'X-Project-Id': project.id,
    });
    await sideBar('Templates').click();
    await link('Greeting').click();
    await link('Greets').waitFor({ state: 'detached' });
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await button('Delete template').click();
    await page.getByText('“Greeting” deleted').waitFor();
  });

  it('a template that only executions under way still send says why it can’t be deleted', async () => {
    const content = { subject: 'Hello', body: '<p>Hello</p>', from: `hello@${domain}` };
    const { id: templateId } = (await post('/templates', { name: 'Reminder', ...content })).body;
    const { id, steps } = (await post('/workflows', { name: 'Reminds', eventName: 'signed up' })).body;
    const delay = { type: 'DELAY', config: { amount: 30, unit: 'days' }, autoConnect: steps[0].id };
    const delayed = (await post(`/workflows/${id}/steps`, delay)).body;
    const email = { name: 'Remind', type: 'SEND_EMAIL', config: { templateId }, autoConnect: delayed.id };
    const { id: stepId } = (await post(`/workflows/${id}/steps`, email)).body;
    const contactId = (await post('/contacts', { email: 'waiting@example.com' })).body.id;
    expect((await post(`/workflows/${id}/executions`, { contactId })).status).toBe(201);
    await owner.call('DELETE', `/workflows/${id}/steps/${stepId}`, undefined, { 'X-Project-Id': project.id });
    await page.goto(`projects/${project.id}/templates/${templateId}`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Workflow Reminds, in an earlier version that is still in use' })
      .waitFor();
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByText('An earlier version of a workflow is in use until').waitFor();
    await button('Close').last().click();
  });

  it('a campaign canceled before its time says so, scrolled to the top', async () => {
    const { body } = await post('/campaigns', {
      name: 'Never',
      subject: 'Never',
      body: '<p>Hello</p>',
      from: `hello@${domain}`,
      audienceType: 'ALL',
    });
    const scheduledFor = new Date(Date.now() + 86_400_000);
    expect((await post(`/campaigns/${body.data.id}/send`, { scheduledFor })).status).toBe(200);
    await sideBar('Campaigns').click();
    await link('Never').click();
    await page.getByText(/^Leaves /).waitFor();
    const time = page.getByLabel(/^Date and time/);
    const stored = await time.inputValue();
    expect(await button(/^Reschedule/).count()).toBe(0);
    await time.fill('9999-12-31T09:00');
    await page.getByText('This time is more than two years ahead').waitFor();
    expect(await button(/^Reschedule/).isDisabled()).toBe(true);
    await time.fill(new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16));
    await expect.poll(() => button(/^Reschedule/).isEnabled()).toBe(true);
    await button('More').click();
    const duplicate = page.getByRole('menuitem', { name: 'Duplicate' });
    await duplicate.getByText('Confirm or undo the time first').waitFor();
    expect(await duplicate.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await sideBar('Templates').click();
    await button('Keep editing').click();
    await time.fill(stored);
    await button(/^Reschedule/).waitFor({ state: 'detached' });
    await sideBar('Templates').click();
    await heading('Templates').waitFor();
    await page.goBack();
    await time.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate<number>('scrollY');
    expect(await scrolled()).toBeGreaterThan(0);
    await button('Cancel campaign').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByText('It was cancelled before anything was sent.').waitFor();
    expect(await heading('Recipients').count()).toBe(0);
    expect(await scrolled()).toBe(0);
    await link('Campaigns').first().click();
    const row = page.getByRole('row', { name: /Never/ });
    await row.filter({ hasText: 'Cancelled–––' }).waitFor();
    await link('Never').click();
    await page.getByText('It was cancelled before anything was sent.').waitFor();
    await button('Duplicate to edit and send').waitFor();
  });

  it('a campaign without recipients says so in a sentence', async () => {
    const campaign = await asked('/campaigns?search=Never');
    const { id } = campaign.body.data[0];
    const { body } = await asked(`/campaigns/${id}`);
    const sent = { status: 'SENT', startedAt: body.data.createdAt, sentAt: body.data.createdAt };
    const path = `**/campaigns/${id}`;
    await page.route(path, (route) =>
      route.request().resourceType() === 'document'
        ? route.continue()
        : route.fulfill({ json: { ...body, data: { ...body.data, ...sent, totalRecipients: 0 } } }),
    );
    await page.reload();
    await page.getByText(/^Nobody was in the audience/).waitFor();
    expect(await heading('Over time').count()).toBe(0);
    await page.unroute(path);
    await page.reload();
    await page.getByText('It was cancelled before anything was sent.').waitFor();
  });

  it('a data field shows where it is used, and is deleted from every contact', async () => {
    await post('/contacts', { email: 'ada@example.com', data: { plan: 'pro', city: 'Paris' } });
    const segment = await post('/segments', { name: 'Paying', type: 'DYNAMIC', condition: planIs('pro') });
    expect(segment.status, JSON.stringify(segment.body)).toBe(201);
    await page.goto(`projects/${project.id}/contacts`);
    await button('Columns').click();
    await page.getByText('Plan', { exact: true }).click();
    await button('Delete the field plan …').click();
    const dialog = page.getByRole('dialog', { name: 'Delete the field' });
    await dialog.getByText('Segment “Paying”').waitFor();
    await dialog.getByText(/^1 contact loses the value of “plan”/).waitFor();
    await dialog.getByRole('textbox').fill('plan');
    await dialog.getByRole('button', { name: 'Delete the field' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('columnheader', { name: 'Plan' }).waitFor({ state: 'detached' });
    expect(
      (await asked('/contacts/fields')).body.fields.map(({ field }: { field: string }) => field),
    ).toEqual(expect.not.arrayContaining(['data.plan']));
    await button('Columns').click();
    await page.getByText('City', { exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'City' }).waitFor();
    const headers = { 'X-Project-Id': project.id };
    expect((await owner.call('DELETE', '/contacts/fields/data.city', undefined, headers)).status).toBe(200);
    await page.reload();
    await link('ada@example.com').waitFor();
    await page.getByRole('columnheader', { name: 'City' }).waitFor({ state: 'detached' });
    await page.goto(`projects/${project.id}/campaigns?search=Never`);
    await link('Never').click();
    await page.getByText('It was cancelled before anything was sent.').waitFor();
  });

  it('a campaign is duplicated only once, however long that takes', async () => {
    const release = Promise.withResolvers<void>();
    await page.route('**/duplicate', async (route) => {
      await release.promise;
      await route.continue();
    });
    const more = button('More');
    const duplicate = page.getByRole('menuitem', { name: 'Duplicate' });
    await more.click();
    await duplicate.click();
    await duplicate.waitFor({ state: 'detached' });
    // Forced, so that it does not wait until the button is enabled.
    await more.click({ force: true });
    expect(await duplicate.count()).toBe(0);
    release.resolve();
    await heading('Never (Copy)').waitFor();
    expect((await asked('/campaigns?search=Never')).body.total).toBe(2);
  });

  it('a test of two subjects is not offered for the random part of a segment', async () => {
    const random = where({ field: 'randomGroup', operator: 'lessThan', value: 50 });
    const half = (await post('/segments', { name: 'Half', condition: random })).body;
    const around = (await post('/segments', { name: 'Of half', condition: memberOf(half.id) })).body;
    const content = { name: 'Sampled', subject: 'Hello', body: '<p>Hello</p>', from: `hello@${domain}` };
    const draft = { ...content, audienceType: 'SEGMENT', segmentId: around.id };
    const { id } = (await post('/campaigns', draft)).body.data;
    await page.goto(`projects/${project.id}/campaigns/${id}`);
    await button('More').click();
    const test = page.getByRole('menuitem', { name: 'Test two subjects …' });
    await test.getByText('Its audience is already a random part').waitFor();
    expect(await test.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('the subscription shows its state, and only the actions that apply', async () => {
    const { body: consumption } = await asked(`/users/@me/projects/${project.id}/billing-consumption`);
    const { body: config } = await asked('/config');
    const features = { ...config.features, billing: true };
    await page.route('**/config', (route) => route.fulfill({ json: { ...config, features } }));
    const at = '2026-01-02T00:00:00.000Z';
    const invoice = {
      id: 'in_1',
      number: 'A-1',
      status: 'paid',
      currency: 'jpy',
      amountDue: 1900,
      amountPaid: 1900,
    };
    const times = { createdAt: at, periodStart: at, periodEnd: at, hostedUrl: null, pdfUrl: null };
    await page.route('**/billing-invoices', (route) =>
      route.fulfill({ json: { data: [{ ...invoice, ...times }] } }),
    );
    const showWith = async (status: string | null, words: RegExp | string) => {
      const subscription = status && {
        status,
        priceId: null,
        currentPeriodStart: at,
        currentPeriodEnd: at,
        endsAt: null,
      };
      await page.unroute('**/billing-consumption');
      await page.route('**/billing-consumption', (route) =>
        route.fulfill({ json: { ...consumption, subscription } }),
      );
      await page.goto(`projects/${project.id}/settings?tab=limits`);
      await page.getByText(words).waitFor();
      const offered = ['Manage payment', 'Subscribe'].map(async (name) => [name, await button(name).count()]);
      return Object.fromEntries(await Promise.all(offered));
    };
    expect(await showWith(null, 'No subscription.')).toEqual({ 'Manage payment': 0, Subscribe: 1 });
    await page.getByText('JP¥1,900').waitFor();
    expect(await showWith('active', /^Renews /)).toEqual({ 'Manage payment': 1, Subscribe: 0 });
    expect(await showWith('past_due', /^A payment has failed/)).toEqual({
      'Manage payment': 1,
      Subscribe: 0,
    });
    expect(await showWith('canceled', /^Ended$/)).toEqual({ 'Manage payment': 1, Subscribe: 1 });
  });
  it('figures of any size fit into their cards, and event names stay visible on a phone', async () => {
    const dates = ['2026-01-01', '2026-01-02'];
    const day = { sent: 61_234_567, delivered: 9_999_998, opened: 1, clicked: 0, bounced: 0 };
    const data = dates.map((date) => ({ date, ...day, complained: 0, unsubscribed: 4_999_999 }));
    await page.route('**/analytics/timeseries?**', (route) => route.fulfill({ json: { data } }));
    const figures = page.getByRole('radiogroup', { name: 'Shown in the chart' });
    const tooWide = () =>
      figures
        .getByRole('radio')
        .evaluateAll((cards: { scrollWidth: number; clientWidth: number; textContent: string }[]) =>
          cards.filter((card) => card.scrollWidth > card.clientWidth).map((card) => card.textContent),
        );
    await page.goto(`projects/${project.id}/activity/analytics`);
    await figures.getByText('Delivered').waitFor();
    for (const width of [1440, 1024, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await tooWide(), `at ${width} pixels`).toEqual([]);
    }
    const name = page.getByRole('table', { name: 'Events' }).getByRole('link').first();
    expect((await name.boundingBox())?.width).toBeGreaterThan(60);
    await page.unroute('**/analytics/timeseries?**');
  });

  it('the list of segments shows their sizes on a phone, however long a name is', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await post('/segments', { name: `2026_${'customers_'.repeat(5)}`, type: 'STATIC' });
    await page.goto(`projects/${project.id}/segments`);
    const members = await page.getByRole('columnheader', { name: 'Members' }).boundingBox();
    expect(members && members.x + members.width).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('selected contacts join a static segment, and their pages show in which they are', async () => {
    const { id } = (await post('/segments', { name: 'Guests', type: 'STATIC' })).body;
    await post('/segments', { name: 'On a plan', condition: planIs('guest') });
    for (const name of ['one', 'two']) {
      await post('/contacts', { email: `${name}@guests.example`, data: { plan: 'guest' } });
    }
    await page.goto(`projects/${project.id}/contacts?search=guests.example`);
    await page.getByRole('checkbox', { name: 'Select one@guests.example' }).press('Space');
    await page.getByRole('checkbox', { name: 'Select two@guests.example' }).press('Space');
    await button('Add to a segment').click();
    const dialog = page.getByRole('dialog', { name: 'Add 2 contacts to a segment' });
    await dialog.getByRole('button', { name: /Segment/ }).click();
    await page.getByRole('option', { name: 'Guests' }).waitFor();
    expect(await page.getByRole('option', { name: 'On a plan' }).count()).toBe(0);
    await page.getByRole('option', { name: 'Guests' }).click();
    await dialog.getByRole('button', { name: 'Add 2 contacts' }).click();
    await dialog.getByText('2 of 2: 2 changed, 0 as before').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect((await asked(`/segments/${id}/contacts`)).body.total).toBe(2);
    await link('one@guests.example').click();
    await link('On a plan').waitFor();
    await link('Guests').click();
    await page.getByRole('heading', { name: '2 members' }).waitFor();
  });
});
