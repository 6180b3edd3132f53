import { readFile } from 'node:fs/promises';
import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mailedToken } from './setup/account-mail.ts';
import type { TestAnswer } from './setup/answer.ts';
import { findChromium } from './setup/chromium.ts';
import { tabTo } from './setup/dashboard.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { onlyMessageTo, reportEvent } from './setup/inbox.ts';
import { callApi, testPassword } from './setup/people.ts';

const executable = await findChromium();
const domain = 'mail.story.test';
// With the columns without a name that a spreadsheet appends.
const contacts = `Email,Plan,Shoe size,Since,id,,
ada@example.com,pro,37,31.12.2025,1,,
grace@example.com,pro,39,1.2.2026,2,,
linus@example.com,pro,44,,3,,
no address,pro,1,,4,,
linus@example.com,free,44,,3,,
`;

/** One story of one project: each test continues where the previous one ended. */
describe.skipIf(executable === undefined)('in the dashboard, an owner', () => {
  const {
    stage,
    owner,
    project,
    tab,
    page,
    button,
    link,
    field,
    suggested,
    usualSender,
    heading,
    sideBar,
    asked,
  } = useDashboardStory(executable, 'Story');
  async function downloaded(name: string) {
    const download = page.waitForEvent('download');
    await button(name).click();
    const file = await readFile(await (await download).path(), 'utf8');
    return { name: (await download).suggestedFilename(), lines: file.trimEnd().split('\r\n') };
  }

  it('signs in with a one-time link, and finds the first steps', async () => {
    await page.goto('sign-in?token=used');
    await button('Sign in').click();
    await page.getByText('This link was used or has expired.').waitFor();
    const token = await stage.stack.product.services.accountLinks.createSignIn(owner.id);
    await page.goto(`sign-in?token=${token}`);
    await button('Sign in').click();
    await heading('Story').waitFor();
    await page.getByText('0 of 6 done').waitFor();
    await link('Import your contacts').click();
    await heading('Import contacts').waitFor();
    await sideBar('Home').click();
    await button('Hide').click();
    await page.getByText('0 of 6 done').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Nothing sent in the last 30 days').waitFor();
    expect(await page.getByText('0 of 6 done').count()).toBe(0);
    // Before the sign-in, the page asks who is signed in.
    expect(tab.complaints().filter((text) => !/status of 40[01]/.test(text))).toEqual([]);
  });

  it('verifies a domain', async () => {
    await sideBar('Domains').click();
    await button('Add a domain').first().click();
    await field('Domain').fill(`https://www.${domain}/about`);
    await button('Add the domain').click();
    await heading(domain).waitFor();
    expect(await page.getByRole('table', { name: 'Required DNS records' }).textContent()).toContain(
      `_posthaste.${domain}`,
    );
    await button('Check now').click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await page.getByText(`You can send from any address at ${domain}.`).waitFor();
  });

  it('previews and imports a CSV file', async () => {
    await sideBar('Contacts').click();
    await link('Import').click();
    const spreadsheet = { name: 'people.xlsx', mimeType: '', buffer: Buffer.from('PK\x03\x04\x14\0') };
    await button('Drop a CSV file here').waitFor({ state: 'attached' });
    await page.locator('input[type=file]').setInputFiles(spreadsheet);
    await page.getByText(/^This is a spreadsheet/).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
    await button('Choose another file').click();
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(contacts) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('3 new contacts').waitFor();
    await page.getByText('1 row repeats the address of an earlier row').waitFor();
    await page.getByText('0 rows update existing contacts').waitFor();
    await page.getByText('1 row can’t be used').waitFor();
    await page.getByText(/^Since: 2 of 2 values look like dates but are taken as text/).waitFor();
    const columns = page.getByRole('table', { name: 'Columns' }).getByRole('row');
    expect(await columns.count()).toBe(6);
    expect(await columns.last().textContent()).toContain('reserved');
    await button(/What Shoe size becomes/).click();
    await page.getByRole('option', { name: 'Leave out' }).click();
    const target = page.getByRole('combobox', { name: 'Field for Plan' });
    await target.press('ControlOrMeta+a');
    await target.press('Backspace');
    await target.pressSequentially('plan');
    await page.keyboard.press('Tab');
    await page
      .getByRole('table', { name: 'First rows' })
      .getByRole('columnheader', { name: 'plan' })
      .waitFor();
    await button('Import 4 rows').click();
    await page.getByText('The import is complete.').waitFor();
    await page.getByText('3 contacts created').waitFor();
    await page.getByRole('list', { name: 'Taken as text' }).waitFor();
    await link('Show the contacts').click();
    await link('linus@example.com').click();
    await heading('linus@example.com').waitFor();
    const { data } = (await asked('/contacts?search=linus')).body.data[0];
    expect(data).toEqual({ plan: 'free' });
  });

  it('builds a segment, and sees its members meanwhile', async () => {
    await sideBar('Segments').click();
    await link('New segment').click();
    await field('Name').fill('Paying');
    await button(/Field/).click();
    await page.getByPlaceholder('Find a field').fill('plan');
    await page.getByRole('option', { name: /plan/i }).first().click();
    await suggested('Value', 'free');
    const count = page.getByRole('complementary', { name: 'Who belongs' });
    await count.getByText('1 contact right now').waitFor();
    await suggested('Value', '');
    await count.getByText('Complete the condition to see who belongs.').waitFor();
    await suggested('Value', 'pro');
    await count.getByText('2 contacts right now').waitFor();
    await button('Create segment').click();
    await heading('2 members').waitFor();
    await link('ada@example.com').waitFor();
    // Not to the form, which would create it again.
    await page.goBack();
    await link('New segment').waitFor();
  });

  it('writes a template, and sees it as a reader does', async () => {
    await sideBar('Templates').click();
    await link('New template').click();
    await field('Name').fill('Welcome');
    await usualSender(`hello@${domain}`);
    expect(await field('Sender name').inputValue()).toBe(project.name);
    await field('Subject').fill('Your {{ plan }} plan');
    await page.getByRole('radio', { name: 'HTML' }).click();
    await page
      .getByRole('textbox', { name: 'Body, HTML with Liquid' })
      .fill('<h1>Hello {{ email }}</h1><a href="{{ unsubscribeUrl }}">Unsubscribe</a>');
    await suggested('Preview as', 'ada@example.com');
    await page.getByRole('region', { name: 'Preview' }).getByText('Your pro plan').waitFor();
    const preview = page.frameLocator('iframe[title="Preview of the email"]');
    await preview.getByRole('heading', { name: 'Hello ada@example.com' }).waitFor();
    await button('Create template').click();
    await button('Send a test').waitFor();
  });

  it('makes and sends a campaign by keyboard alone', async () => {
    await page.evaluate(`addEventListener('pointerdown', () => { document.title = 'a mouse'; }, true)`);
    const { keyboard } = page;
    const press = async (name: string) => {
      await tabTo(page, button(name));
      await keyboard.press('Enter');
    };
    await keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await keyboard.type('Campaigns');
    await keyboard.press('Enter');
    await heading('Campaigns').waitFor();
    await tabTo(page, link('New campaign'));
    await keyboard.press('Enter');
    await heading('New campaign').waitFor();

    await tabTo(page, field('Name'));
    await keyboard.type('Spring sale');
    await tabTo(page, page.getByRole('radio', { name: 'All contacts' }));
    await keyboard.press('ArrowDown');
    await page.getByText('Choose a segment to see how many people will get it.').waitFor();
    await tabTo(page, button(/Segment/));
    await keyboard.press('Enter');
    await page.getByRole('option', { name: 'Paying' }).waitFor();
    await keyboard.type('Pay');
    await keyboard.press('Enter');
    await page.getByText('2 people').waitFor();
    await press('Start from a template');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: /^Welcome/ }));
    await keyboard.press('Enter');
    await page.getByText('Content copied from “Welcome”').waitFor();
    await tabTo(page, field('Subject'));
    await keyboard.press('Control+a');
    await keyboard.type('Spring for {{ email }}');
    await press('Save draft');

    await heading('Spring sale').waitFor();
    await press('Send to 2 people');
    const dialog = page.getByRole('dialog', { name: 'Send this campaign?' });
    await dialog.getByText('Spring for {{ email }}').waitFor();
    await dialog.getByText('Segment “Paying”').waitFor();
    await tabTo(page, dialog.getByRole('button', { name: 'Send to 2 people' }));
    await keyboard.press('Enter');
    await heading('Recipients').waitFor();
    expect(await page.title()).not.toBe('a mouse');
  });

  it('reads its report', async () => {
    const { id } = (await asked('/campaigns')).body.data[0];
    await eventually(
      () => asked(`/campaigns/${id}/stats`),
      ({ body }) => body.deliveredCount === 2,
    );
    await page.reload();
    await page.getByText('Sent', { exact: true }).first().waitFor();
    await page.getByText(/^“Spring for .* · Segment “Paying”$/).waitFor();
    const delivered = page.getByLabel('Figures').getByText('Delivered').locator('..');
    expect(await delivered.textContent()).toBe('Delivered100%2 people');
    const recipients = page.getByRole('table', { name: 'Recipients' });
    await recipients.getByText('grace@example.com').waitFor();
    expect(await recipients.getByText('Delivered').count()).toBe(2);
    await sideBar('Activity').click();
    await link('Analytics').click();
    await page.getByRole('table', { name: 'Campaigns' }).getByRole('link', { name: 'Spring sale' }).click();
    await recipients.getByText('grace@example.com').waitFor();
  });

  it('gathers in a new segment who has not opened it, and exports them', async () => {
    await button(/Outcome/).click();
    await page.getByRole('option', { name: 'Not opened' }).click();
    await page.waitForURL(/outcome=unopened/);
    const recipients = await downloaded('Download CSV');
    expect(recipients.name).toBe('Spring sale recipients.csv');
    expect(recipients.lines).toEqual([
      expect.stringContaining('emailId,contactId,email,status'),
      expect.stringContaining('ada@example.com,DELIVERED'),
      expect.stringContaining('grace@example.com,DELIVERED'),
    ]);
    await button('Add to a segment').click();
    const dialog = page.getByRole('dialog', { name: 'Add 2 contacts to a segment' });
    const name = dialog.getByRole('textbox', { name: 'Name of the new segment' });
    expect(await dialog.getByRole('button', { name: 'Add 2 contacts' }).isDisabled()).toBe(true);
    await name.fill('To remind');
    await dialog.getByRole('button', { name: 'Add 2 contacts' }).click();
    await dialog.getByText('2 of 2: 2 changed, 0 as before').waitFor();
    await dialog.getByRole('link', { name: 'Show the segment' }).click();
    await heading('To remind').waitFor();
    await heading('2 members').waitFor();
    const members = await downloaded('Export');
    expect(members.name).toBe('to-remind.csv');
    expect(members.lines).toEqual([
      expect.stringContaining('id,email,subscribed'),
      expect.stringContaining('grace@example.com'),
      expect.stringContaining('ada@example.com'),
    ]);
    await link('New campaign').click();
    await heading('New campaign').waitFor();
    await page.getByText('2 people').waitFor();
    await button(/^To remind/).waitFor();
  });

  it('drafts a campaign to those who did not open one, and selects by name those who did', async () => {
    const message = await onlyMessageTo(stage.stack.ses, 'ada@example.com');
    await reportEvent(stage.stack.ses, message.id, { type: 'open' });
    const { id } = (await asked('/campaigns')).body.data[0];
    await eventually(
      () => asked(`/campaigns/${id}/stats`),
      ({ body }) => body.openedCount === 1,
    );
    await sideBar('Campaigns').click();
    await link('Spring sale').click();
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Send to those who did not open' }).click();
    await heading('Spring sale (not opened)').waitFor();
    await page.getByText('1 person').first().waitFor();
    await button('Campaign “Spring sale” Field').first().waitFor();
    const [draft] = (await asked('/campaigns')).body.data;
    const field = `campaign.${id}`;
    expect(draft.audienceCondition.groups[0].filters).toEqual([
      { field, operator: 'sent' },
      { field, operator: 'notOpened' },
    ]);

    await sideBar('Segments').click();
    await link('New segment').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Readers');
    const release = Promise.withResolvers<void>();
    await page.route('**/campaigns?**', async (route) => {
      await release.promise;
      await route.continue();
    });
    await button(/Field/).click();
    await page.getByPlaceholder('Find a field').fill('spring');
    release.resolve();
    await page.getByRole('option', { name: 'Spring sale', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await button('Campaign “Spring sale” Field').waitFor();
    await page.unroute('**/campaigns?**');
    await button(/Comparison/).click();
    await page.getByRole('option', { name: 'opened', exact: true }).click();
    const count = page.getByRole('complementary', { name: 'Who belongs' });
    await count.getByText('1 contact right now').waitFor();
    await count.getByText('Opened campaign “Spring sale”').waitFor();
    await button('Create segment').click();
    await heading('1 member').waitFor();
    await link('ada@example.com').waitFor();
  });

  it('tests two subjects of a draft, unless someone has changed it meanwhile', async () => {
    const path = `/campaigns/${(await asked('/campaigns')).body.data[0].id}`;
    const campaigns = async () => (await asked('/campaigns?sort=name&dir=asc')).body.data;
    const before = (await campaigns()).length;
    const createTest = async () => {
      await button('More').click();
      await page.getByRole('menuitem', { name: 'Test two subjects …' }).click();
      await button('Create the drafts').click();
      await page.getByText('Enter another subject').waitFor();
      await field('Subject of test B').fill('Spring is back');
      await button('Create the drafts').click();
    };
    await sideBar('Campaigns').click();
    await link('Spring sale (not opened)').click();
    await page.getByText('1 person').first().waitFor();
    const { from, subject, body, audienceType, audienceCondition } = (await asked(path)).body.data;
    const change = { name: 'Late winter', from, subject, body, audienceType, audienceCondition };
    expect((await owner.call('PUT', path, change, { 'X-Project-Id': project.id })).status).toBe(200);
    await createTest();
    await page
      .getByRole('dialog')
      .getByText(/changed/)
      .waitFor();
    expect(await campaigns()).toHaveLength(before);
    tab.complaints();

    await page.reload();
    await createTest();
    for (const name of ['(A)', '(B)', '(the rest)']) await link(`Late winter ${name}`).waitFor();
    const [own, other, rest] = await campaigns();
    expect([own.subject, other.subject, rest.subject]).toEqual([own.subject, 'Spring is back', own.subject]);
    const matches = async (campaign: TestAnswer['body']) => {
      const body = { condition: campaign.audienceCondition };
      return (await owner.call('POST', '/segments/preview', body, { 'X-Project-Id': project.id })).body.count;
    };
    expect((await matches(own)) + (await matches(other)) + (await matches(rest))).toBe(1);
  });

  it('finds an email in the log, with its history', async () => {
    await sideBar('Emails').click();
    const other = page.getByRole('table', { name: 'Emails' }).getByRole('link', { name: 'ada@example.com' });
    await other.waitFor();
    await page.getByRole('searchbox', { name: 'Recipient or subject' }).fill('grace');
    await other.waitFor({ state: 'detached' });
    const log = await downloaded('Download CSV');
    expect(log.name).toBe('emails.csv');
    expect(log.lines).toEqual([
      expect.stringContaining('id,to,toName,from,subject,status'),
      expect.stringContaining('grace@example.com'),
    ]);
    await link('grace@example.com').click();
    const drawer = page.getByRole('dialog', { name: 'Email' });
    await drawer.getByRole('heading', { name: 'Spring for grace@example.com' }).waitFor();
    const happened = drawer.getByRole('list').first();
    expect(await happened.textContent()).toMatch(/Queued.*Handed over.*Delivered/);
    await drawer.frameLocator('iframe').getByText('Hello grace@example.com').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    type Entry = { type: string; contactEmail: string };
    await eventually(
      () => asked('/activity?limit=100'),
      ({ body }) =>
        body.data.some(
          ({ type, contactEmail }: Entry) => type === 'email.delivered' && contactEmail.startsWith('grace'),
        ),
    );
    await page.keyboard.press('Control+k');
    await page.keyboard.type('grace');
    await page.getByRole('menuitem', { name: /^grace@example.com/ }).click();
    await link('Email delivered').click();
    await drawer.getByRole('heading', { name: 'Spring for grace@example.com' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('builds a workflow, enables it, and follows a contact through it', async () => {
    await sideBar('Workflows').click();
    await button('New workflow').first().click();
    await field('Name').fill('Onboarding');
    await suggested('Starts with the event', 'signed.up');
    await button('Create the workflow').click();
    await page.getByRole('tab', { name: 'Outline' }).click();
    await button(/^Add a step after/).click();
    await page.getByRole('menuitem', { name: 'Send email' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: /Template/ }).click();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await page.keyboard.press('Escape');
    await button('Keep editing').click();
    await button('Save').click();
    await form.waitFor({ state: 'detached' });
    await button('Enable').click();
    await button('Disable').waitFor();

    const event = { event: 'signed.up', email: 'new@example.com', data: { plan: 'trial' } };
    const headers = { Authorization: `Bearer ${project.publicKey}` };
    expect((await callApi(stage.stack.url, 'POST', '/v1/track', event, headers)).status).toBe(200);
    const { id } = (await asked('/workflows')).body.data[0];
    await eventually(
      () => asked(`/workflows/${id}/executions?status=COMPLETED`),
      ({ body }) => body.data.length === 1,
    );
    await page.getByRole('tab', { name: 'Executions' }).click();
    await link('new@example.com').click();
    await heading('new@example.com').waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.locator('.react-flow__node', { hasText: 'Welcome' }).waitFor();
    expect(await page.locator('li[data-step]').allTextContents()).toEqual([
      expect.stringMatching(/^1Send email.*emailId/s),
    ]);

    const contactId = (await asked('/contacts?search=new@example.com')).body.data[0].id;
    await eventually(
      () => asked(`/activity?contactId=${contactId}&types=workflow.started`),
      ({ body }) => body.data.length === 1,
    );
    await link('new@example.com').click();
    await heading('new@example.com').waitFor();
    await page.locator('summary', { hasText: 'Steps' }).click();
    await page.locator('details li', { hasText: 'Send email' }).waitFor();
  });

  it('is warned before overwriting a change from another tab, and keeps the typed text', async () => {
    const other = await tab.openTab();
    const { id } = (await asked('/templates')).body.data[0];
    for (const { page: one } of [tab, other]) {
      await one.goto(`projects/${project.id}/templates/${id}`);
      await field('Subject', one).waitFor();
    }
    await field('Subject', other.page).fill('Theirs');
    await button('Save', other.page).click();
    await other.page.getByText(/^Saved/).waitFor();
    await field('Subject').fill('Mine');
    await button('Save').click();
    const warning = page.getByRole('dialog', { name: 'Someone else has saved a change' });
    await warning.waitFor();
    await button('Close').click();
    expect(await field('Subject').inputValue()).toBe('Mine');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect((await asked(`/templates/${id}`)).body.subject).toBe('Theirs');
    await button('Save').click();
    await button('Keep mine').click();
    await page.getByText(/^Saved/).waitFor();
    expect((await asked(`/templates/${id}`)).body.subject).toBe('Mine');
    await other.page.close();
    expect(other.complaints()).toEqual([]);
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('edits no graph unseen that someone else has changed', async () => {
    const { id } = (await asked('/workflows')).body.data[0];
    const path = `/workflows/${id}`;
    await page.goto(`projects/${project.id}${path}?view=outline`);
    const insertBetween = (names: string) => button(`Insert a step between ${names}`);
    await insertBetween('Trigger and Send email').waitFor();
    const theirs = { type: 'DELAY', name: 'Theirs', config: { amount: 1, unit: 'days' } };
    const header = { 'X-Project-Id': project.id };
    expect((await owner.call('POST', `${path}/steps`, theirs, header)).status).toBe(201);
    const insertWait = async () => {
      await insertBetween('Trigger and Send email').click();
      await page.getByRole('menuitem', { name: 'Wait for event' }).click();
    };
    await insertWait();
    await page.getByText('Someone else has changed this workflow.').waitFor();
    await button(/Theirs/)
      .first()
      .waitFor();
    expect((await asked(path)).body.steps).toHaveLength(3);

    await insertWait();
    await suggested('Event', 'paid');
    await field('Wait at most (optional)').fill('2');
    await button('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await insertBetween('Wait for event and Send email').click();
    await page.getByRole('menuitem', { name: 'Use a path per outcome' }).click();
    const branches = ({ body }: TestAnswer) =>
      body.transitions.map(({ branch }: { branch: string | null }) => branch).filter(Boolean);
    const split = await eventually(
      () => asked(path),
      (answer) => branches(answer).length === 2,
    );
    expect(branches(split)).toEqual(['event', 'timeout']);
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('invites two members, of whom one accepts by the emailed link and the other invitation is withdrawn', async () => {
    const email = 'colleague@example.com';
    await sideBar('Settings').click();
    await field('Name').fill('Unsaved');
    await page.getByRole('tab', { name: 'Members' }).click();
    await button('Leave').click();
    await button('Invite a member').click();
    await field('Email').fill(email);
    await button('Invite').click();
    const invitations = page.getByRole('table', { name: 'Invitations' });
    await invitations.getByText(email).waitFor();

    const mistyped = 'colleag@example.com';
    await button('Invite a member').click();
    await field('Email').fill(mistyped);
    await button('Invite').click();
    await invitations.getByText(mistyped).waitFor();
    await button(`Actions for ${mistyped}`).click();
    await page.getByRole('menuitem', { name: 'Withdraw' }).click();
    await invitations.getByText(mistyped).waitFor({ state: 'detached' });
    await invitations.getByText(email).waitFor();

    const token = await mailedToken(stage.stack, email, '/app/accept-invitation');
    const colleague = await stage.open();
    await colleague.page.goto(`accept-invitation?token=${token}`);
    await heading('Join Story', colleague.page).waitFor();
    expect(await field('Email', colleague.page).inputValue()).toBe(email);
    await colleague.page.getByLabel('Password').fill(testPassword);
    await button('Accept the invitation', colleague.page).click();
    await heading('Story', colleague.page).waitFor();
    await colleague.page.getByRole('navigation', { name: 'Project' }).getByText('Settings').click();
    await field('Name', colleague.page).waitFor();
    expect(await colleague.page.getByRole('tab').allTextContents()).toEqual(['Project']);
    expect(colleague.complaints().filter((text) => !text.includes('status of 401'))).toEqual([]);
    await colleague.page.context().close();

    await page.reload();
    await page.getByRole('table', { name: 'Members' }).getByText(email).waitFor();
  });

  it('signs in again in a dialog over the page when the session has ended, and keeps the typed text', async () => {
    const { id } = (await asked('/templates')).body.data[0];
    await page.goto(`projects/${project.id}/templates/${id}`);
    await field('Subject').waitFor();
    await tab.settled();
    await page.context().clearCookies();
    const signedIn = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      const response = await route.fetch();
      await signedIn.promise;
      await route.fulfill({ response });
    };
    await page.route('**/templates/preview', hold, { times: 1 });
    const late = page.waitForResponse('**/templates/preview');
    await field('Subject').fill('Typed');
    await button('Save').click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(testPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    signedIn.resolve();
    expect((await late).status()).toBe(401);
    expect(await field('Subject').inputValue()).toBe('Typed');
    await page
      .getByText(/^The session had ended/)
      .first()
      .waitFor();
    await button('Save').click();
    await page.getByText(/^Saved/).waitFor();
    expect((await asked(`/templates/${id}`)).body.subject).toBe('Typed');
    expect(tab.complaints().filter((text) => !text.includes('status of 401'))).toEqual([]);
  });

  it('signs out, and has to sign in again to return', async () => {
    await page.goto(`projects/${project.id}/settings?tab=members`);
    const back = page.url();
    await button(owner.email).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in').waitFor();
    await page.goto(back);
    await field('Email').fill(owner.email);
    await page.getByLabel('Password').fill(testPassword);
    await button('Sign in').click();
    await page.getByRole('table', { name: 'Members' }).waitFor();
    expect(page.url()).toBe(back);
    expect(tab.complaints().filter((text) => !text.includes('status of 401'))).toEqual([]);
  });
});
