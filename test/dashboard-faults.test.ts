import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createVerifiedPerson, mailedToken } from './setup/account-mail.ts';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { png } from './setup/images.ts';
import { callApi, createOwnProject, createTestPerson, testPassword } from './setup/people.ts';

const executable = await findChromium();

describe.skipIf(executable === undefined)('when something fails, the dashboard', () => {
  const { stage, owner, project, tab, page, button, field, suggested, usualSender, heading, sideBar, asked } =
    useDashboardStory(executable, 'Faults');

  it('opens on a retry after the server did not answer', async () => {
    await tab.signIn(owner);
    const projects = `${stage.stack.url}/users/@me/projects`;
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer', statusCode: 503 };
    await page.route(projects, (route) => route.fulfill({ status: 503, json: { success: false, error } }));
    await page.goto('.');
    await page.getByText('The database does not answer').waitFor();
    await page.unroute(projects);
    expect(tab.complaints()).not.toEqual([]);
    await button('Try again').click();
    await heading('Faults').waitFor();
  });

  it('works without the Internet with a server on the local network', async () => {
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`);
    await sideBar('Segments').click();
    await page.getByText('No segments yet').waitFor();
  });

  it('says that the server can’t be reached, and continues once it can', async () => {
    await sideBar('Settings').click();
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByText(/^The server could not be reached/).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('table', { name: 'Members' }).waitFor();
    expect(tab.complaints().filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  it('says that a page could not be loaded, and loads it once the server can be reached', async () => {
    await page.goto(`projects/${project.id}`);
    await heading('Faults').waitFor();
    await page.context().setOffline(true);
    await sideBar('Images').click();
    await page.getByText(/^The server could not be reached/).waitFor();
    await sideBar('Images').waitFor();
    await button('Try again').click();
    await page
      .getByRole('alertdialog')
      .getByText(/^The server could not be reached/)
      .waitFor();
    await page.context().setOffline(false);
    await button('Try again').click();
    await heading('Images').waitFor();
    expect(tab.complaints()).not.toEqual([]);
  });

  it('says that the next rows could not be read, and reads them on a retry', async () => {
    const headers = { 'X-Project-Id': project.id };
    await owner.call('POST', '/contacts', { email: 'ada@example.com' }, headers);
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer', statusCode: 503 };
    let isDown = true;
    await page.route('**/contacts?*', async (route) => {
      const isNext = route.request().url().includes('cursor=next');
      if (isNext && isDown) return route.fulfill({ status: 503, json: { success: false, error } });
      if (isNext)
        return route.fulfill({ json: { data: [], total: 1, totalAccuracy: 'exact', cursor: null } });
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...(await answer.json()), cursor: 'next' } });
    });
    await sideBar('Contacts').click();
    await button('Show more').click();
    await page.getByText('The database does not answer').waitFor();
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    isDown = false;
    await button('Show more').click();
    await page.getByText('The database does not answer').waitFor({ state: 'detached' });
    await page.unroute('**/contacts?*');
    expect(tab.complaints()).not.toEqual([]);
  });

  /** Until the returned function is called, requests to the path get 429. */
  async function limit(path: string): Promise<() => Promise<void>> {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests', statusCode: 429 };
    const url = `${stage.stack.url}${path}`;
    await page.route(url, (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { success: false, error } }),
    );
    return () => page.unroute(url);
  }

  it('reads again by itself what was refused because of too many requests', async () => {
    const lift = await limit('/segments');
    await sideBar('Segments').click();
    await page.getByText('Too many requests').waitFor();
    await lift();
    await page.getByText('No segments yet').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 429'))).toEqual([]);
  });

  it('offers to try again where a preview was refused because of too many requests', async () => {
    let lift = await limit('/templates/preview');
    await page.goto(`projects/${project.id}/settings`);
    await page.getByText('Too many requests').waitFor();
    await lift();
    await button('Try again').click();
    await page.getByTitle('Footer of marketing email').waitFor();
    lift = await limit('/segments/preview');
    await page.goto(`projects/${project.id}/segments/new`);
    await button(/Field$/).click();
    await page.getByRole('option', { name: /^Address/ }).click();
    await suggested('Value', '@example.com');
    await page.getByText('Too many requests').waitFor();
    await lift();
    await button('Try again').click();
    await page.getByText(/^contacts? right now/).waitFor();
    await sideBar('Images').click();
    await button('Leave').click();
    expect(tab.complaints().filter((text) => !text.includes('status of 429'))).toEqual([]);
  });

  it('uploads an image on a retry after the connection was lost', async () => {
    await heading('Images').waitFor();
    await page.context().setOffline(true);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
    const upload = page.getByRole('list', { name: 'Uploads' }).getByRole('alert');
    await upload.getByText('logo.png').waitFor();
    await page.context().setOffline(false);
    await upload.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => (await asked('/uploads')).body.data.length, 1);
    await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' });
    expect(tab.complaints().filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  it('keeps the side bar beside a crashed page, and shows the page on a retry', async () => {
    const campaigns = '**/campaigns?*';
    await page.route(campaigns, (route) => route.fulfill({ json: { data: null } }));
    await sideBar('Campaigns').click();
    await page.getByText(/^The dashboard has a bug and can’t show this page/).waitFor();
    await sideBar('Segments').click();
    await page.getByText('No segments yet').waitFor();
    await sideBar('Campaigns').click();
    await heading('Something went wrong').waitFor();
    await page.unroute(campaigns);
    await button('Try again').click();
    await page.getByText('No campaigns yet').waitFor();
    expect(tab.complaints()).not.toEqual([]);
  });

  it.each([
    'campaigns/x',
    'contacts/x',
    'domains/x',
    'segments/x',
    'templates/x',
    'workflows/x',
    'workflows/x/executions/y',
    'none',
  ])('shows beside the side bar that there is no page %s', async (path) => {
    await page.goto(`projects/${project.id}/${path}`);
    await heading('Not found').waitFor();
    await sideBar('Segments').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it.each([
    ['reset-password', 'Choose a new password', 'Request another link'],
    ['verify-email', 'Verify your address', 'Go to your account'],
  ])('offers at /%s without its token what can help', async (path, title, way) => {
    await page.goto(path);
    await heading(title).waitFor();
    await page.getByText(/^This link is incomplete/).waitFor();
    await page.getByRole('link', { name: way }).waitFor();
    expect(await page.getByRole('textbox').or(page.getByLabel('Password')).count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
  });

  it('says that a password reset link was used before a new password is typed', async () => {
    const person = await createTestPerson(stage.stack.url);
    await callApi(stage.stack.url, 'POST', '/auth/request-password-reset', { email: person.email });
    const token = await mailedToken(stage.stack, person.email, '/app/reset-password');
    const guest = await stage.open();
    await guest.page.goto(`reset-password?token=${token}`);
    await guest.page.getByLabel('New password').fill('another pass phrase');
    expect(await guest.page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(person.email);
    await button('Change the password', guest.page).click();
    await heading('Sign in', guest.page).waitFor();
    await guest.page.goto(`reset-password?token=${token}`);
    await guest.page.getByText('This link was used or has expired.').waitFor();
    expect(await guest.page.getByLabel('New password').count()).toBe(0);
    await guest.page.getByRole('link', { name: 'Request another link' }).waitFor();
    expect(guest.complaints().filter((text) => !/status of 40[01]/.test(text))).toEqual([]);
    await guest.page.context().close();
  });

  it('says that the address is already verified if a verification link was used before', async () => {
    const person = await createTestPerson(stage.stack.url);
    const token = await mailedToken(stage.stack, person.email, '/app/verify-email');
    const reader = await stage.open();
    await reader.signIn(person);
    await reader.page.goto(`verify-email?token=${token}`);
    await button('Verify this address', reader.page).click();
    await reader.page.getByText('The address is verified.').waitFor();
    await reader.page.reload();
    await reader.page.getByText(`${person.email} is verified already.`).waitFor();
    expect(await reader.page.getByRole('button').count()).toBe(0);
    await reader.page.getByRole('link', { name: 'Go to your account' }).click();
    await heading('Account', reader.page).waitFor();
    expect(reader.complaints().filter((text) => !text.includes('status of 400'))).toEqual([]);
    await reader.page.context().close();
  });

  it("verifies the address of an account other than the browser's, which keeps its password", async () => {
    const person = await createTestPerson(stage.stack.url);
    const token = await mailedToken(stage.stack, person.email, '/app/verify-email');
    const reader = await stage.open();
    await reader.signIn(owner);
    await reader.page.goto(`verify-email?token=${token}`);
    await reader.page.getByText(`You are signed in as ${owner.email}. This link is for another`).waitFor();
    expect(await reader.page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(person.email);
    await button('Verify this address', reader.page).click();
    await reader.page.getByText('Use at least 10 characters.').waitFor();
    await reader.page.getByLabel('Password').fill(testPassword);
    await button('Verify this address', reader.page).click();
    await reader.page.getByText('The address is verified.').waitFor();
    const account = { email: person.email, password: testPassword };
    const signedIn = await callApi(stage.stack.url, 'POST', '/auth/login', account);
    expect(signedIn.body.user).toMatchObject({ email: person.email, emailVerified: true });
    await reader.page.getByRole('link', { name: `Sign in as ${person.email}` }).click();
    await heading('Sign in', reader.page).waitFor();
    expect(reader.complaints()).toEqual([]);
    await reader.page.context().close();
  });

  it('retries counting the audience of a campaign, in the send dialog, too', async () => {
    const campaign = {
      name: 'Counted',
      subject: 'Counted',
      body: '<p>Hello</p>',
      from: 'hello@mail.faults.test',
      audienceType: 'ALL',
    };
    const headers = { 'X-Project-Id': project.id };
    const domain = await owner.call('POST', '/domains', { domain: 'mail.faults.test' }, headers);
    await asked(`/domains/${domain.body.id}/verify`);
    await owner.call('POST', '/contacts', { email: 'ada@example.com' }, headers);
    const { body } = await owner.call('POST', '/campaigns', campaign, headers);
    const audience = '**/campaigns/audience';
    await page.route(audience, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
    await page.goto(`projects/${project.id}/campaigns/${body.data.id}`);
    await page.getByText(/^The server can’t answer right now/).waitFor();
    await button('Try again').waitFor();
    await button('Send to the audience').click();
    const dialog = page.getByRole('dialog', { name: 'Send this campaign?' });
    await dialog.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(audience);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('button', { name: 'Send to 1 person' }).waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 502'))).toEqual([]);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await button('Try again').waitFor({ state: 'detached' });
  });

  it('says in a select that its items could not be read, or that there are none', async () => {
    const reads = /\/(segments|contacts\/fields|events\/names)(\?|$)/;
    const lists = (url: URL) => reads.test(url.href) && !url.href.includes('/app/');
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer', statusCode: 503 };
    await page.route(lists, (route) => route.fulfill({ status: 503, json: { success: false, error } }));
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('button', { name: /Field$/ }).click();
    await page.getByText('The database does not answer').waitFor();
    await page.unroute(lists);
    await button('Try again').click();
    await page.getByRole('option', { name: /^Address/ }).waitFor();
    await page.getByText('The database does not answer').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    const headers = { 'X-Project-Id': project.id };
    const { id } = (await owner.call('POST', '/workflows', { name: 'Empty', eventName: 'empty' }, headers))
      .body;
    const step = { type: 'SEND_EMAIL', name: 'Send' };
    const stepId = (await owner.call('POST', `/workflows/${id}/steps`, step, headers)).body.id;
    await page.goto(`projects/${project.id}/workflows/${id}?step=${stepId}`);
    await page.getByRole('button', { name: /Template$/ }).click();
    await page.getByText('No template yet.').waitFor();
    await page.keyboard.press('Escape');
    expect(tab.complaints().filter((text) => !text.includes('status of 503'))).toEqual([]);
  });

  it('does not send a version of a campaign that the sender has not seen', async () => {
    const headers = { 'X-Project-Id': project.id };
    const campaign = {
      name: 'Ours',
      subject: 'Ours',
      body: '<p>Hello</p>',
      from: 'hello@mail.faults.test',
      audienceType: 'ALL',
    };
    const { id } = (await owner.call('POST', '/campaigns', campaign, headers)).body.data;
    await page.goto(`projects/${project.id}/campaigns/${id}`);
    await button('Send to 1 person').click();
    const dialog = page.getByRole('dialog', { name: 'Send this campaign?' });
    await dialog.getByText('Ours').waitFor();
    expect(await dialog.getByText(/unsubscribed/).count()).toBe(0);
    const theirs = { ...campaign, subject: 'Theirs', type: 'TRANSACTIONAL' };
    expect((await owner.call('PUT', `/campaigns/${id}`, theirs, headers)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Send to 1 person' }).click();
    await dialog.getByText(/^Someone else has changed this campaign/).waitFor();
    await dialog.getByText('Theirs').waitFor();
    await dialog.getByText(/^Transactional: it also goes to unsubscribed contacts/).waitFor();
    expect((await asked(`/campaigns/${id}`)).body.data.status).toBe('DRAFT');
    await dialog.getByRole('button', { name: 'Back' }).click();
    expect(await page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Theirs');
    await page.route('**/send', async (route) => {
      await delay(1_000);
      await route.fulfill({ status: 502 });
    });
    await button('Send to 1 person').click();
    await dialog.getByRole('button', { name: 'Send to 1 person' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('alertdialog')
      .getByText(/^The server can’t answer right now/)
      .waitFor();
    await page.unroute('**/send');
    expect(tab.complaints().filter((text) => !/status of (409|502)/.test(text))).toEqual([]);
  });

  it('shows why a template could not be saved, wherever the page is scrolled', async () => {
    const template = { name: 'Long', subject: 'Long', body: '<p>Hello</p>', from: 'hello@mail.faults.test' };
    const { body } = await owner.call('POST', '/templates', template, { 'X-Project-Id': project.id });
    await page.goto(`projects/${project.id}/templates/${body.id}`);
    const path = `${stage.stack.url}/templates/${body.id}`;
    await page.route(path, (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 502 }) : route.continue(),
    );
    await page.getByRole('textbox', { name: 'Subject' }).fill('Longer');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await button('Save').click();
    const reason = page.getByText(/^The server can’t answer right now/);
    await reason.waitFor();
    const header = await page.locator('main header').boundingBox();
    const box = await reason.boundingBox();
    expect(box?.y).toBeGreaterThan(header?.height ?? 0);
    await page.unroute(path);
    await button('Save').click();
    await page.getByText(/^Saved/).waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 502'))).toEqual([]);
  });

  it('says why a draft was not saved for a test email', async () => {
    const subject = page.getByRole('textbox', { name: 'Subject' });
    await subject.fill('Hello {{ name');
    await button('Send a test').click();
    const dialog = page.getByRole('dialog', { name: 'Send a test' });
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog
      .getByRole('listitem')
      .getByText(/^subject: Liquid, line 1/)
      .waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 400'))).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await subject.fill('Hello');
    await button('Save').click();
    await page.getByText(/^Saved/).waitFor();
  });

  /** Holds requests to the path back until the returned function is called. */
  async function hold(path: string): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await page.route(`${stage.stack.url}${path}`, async (route) => {
      await held.promise;
      await route.continue();
    });
    return held.resolve;
  }

  it('keeps what is typed while a new template or campaign is being saved', async () => {
    for (const [kind, action] of [
      ['templates', 'Create template'],
      ['campaigns', 'Save draft'],
    ] as const) {
      await page.goto(`projects/${project.id}/${kind}/new`);
      await field('Name').fill('Typed');
      await usualSender('hello@mail.faults.test');
      await field('Subject').fill('Hello');
      const release = await hold(`/${kind}`);
      await button(action).click();
      await field('Subject').fill('Hello again');
      release();
      await button('Send a test').waitFor();
      await page.getByText('Not saved').waitFor();
      expect(await field('Subject').inputValue()).toBe('Hello again');
      expect(await field('Name').inputValue()).toBe('Typed');
      await button('Save').click();
      await page.getByText(/^Saved/).waitFor();
    }
  });

  it('does not send a campaign without what was typed while it was being saved', async () => {
    await field('Subject').fill('First');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const release = await hold(`/campaigns/${id}`);
    const send = page.getByRole('button', { name: /^Send to/ });
    await send.click();
    await field('Subject').fill('Second');
    release();
    const dialog = page.getByRole('dialog', { name: 'Send this campaign?' });
    await dialog.getByText(/^What you typed while the campaign was being saved/).waitFor();
    const confirm = dialog.getByRole('button', { name: /^Send to/ });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await send.click();
    await dialog.getByText('Second').waitFor();
    await expect.poll(() => confirm.isEnabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Back' }).click();
  });

  it('leaves a user where they are who has left the page of a new record while it was being saved', async () => {
    await page.goto(`projects/${project.id}/templates/new`);
    await field('Name').fill('Left');
    await usualSender('hello@mail.faults.test');
    await field('Subject').fill('Hello');
    const release = await hold('/templates');
    await button('Create template').click();
    await field('Name').fill('Left behind');
    await sideBar('Segments').click();
    await button('Leave').click();
    await heading('Segments').waitFor();
    release();
    await page.getByText('Template created').waitFor();
    await tab.settled();
    await heading('Segments').waitFor();
    await sideBar('Templates').click();
    await page.getByRole('link', { name: 'Left', exact: true }).click();
    await heading('Left').waitFor();
    expect(await field('Name').inputValue()).toBe('Left');
  });

  it('keeps what is typed while a new segment is being created, in its condition, too', async () => {
    await page.goto(`projects/${project.id}/segments/new`);
    await field('Name').fill('Adults');
    await button(/Field$/).click();
    await page.getByRole('option', { name: /^Address/ }).click();
    await suggested('Value', '@example.com');
    const release = await hold('/segments');
    await button('Create segment').click();
    await field('Description').fill('Of age');
    await suggested('Value', '@example.org');
    release();
    await heading('Adults').waitFor();
    await eventually(() => field('Description').inputValue(), 'Of age');
    expect(await page.getByRole('combobox', { name: 'Value' }).inputValue()).toBe('@example.org');
    await sideBar('Templates').click();
    await button('Keep editing').click();
    await button('Save').click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { data } = (await asked('/segments')).body;
    expect(data).toMatchObject([{ name: 'Adults', description: 'Of age' }]);
    expect(JSON.stringify(data[0].condition)).toContain('@example.org');
    await page.goto('account');
    await owner.call('DELETE', `/segments/${data[0].id}`, undefined, { 'X-Project-Id': project.id });
  });

  it('opens no duplicate for a user who meanwhile went to another page, even of the same kind', async () => {
    const headers = { 'X-Project-Id': project.id };
    const create = async (path: string, body: object): Promise<string> =>
      (await owner.call('POST', path, body, headers)).body.id;
    const first = await create('/workflows', { name: 'First', eventName: 'typed' });
    const second = await create('/workflows', { name: 'Second', eventName: 'typed' });
    await page.goto(`projects/${project.id}/workflows/${second}`);
    await heading('Second').waitFor();
    await page.goto(`projects/${project.id}/workflows/${first}`);
    await heading('First').waitFor();
    const release = await hold(`/workflows/${first}/duplicate`);
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    // Another page of the same kind.
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill('Second');
    await page.getByRole('menuitem', { name: /^Second/ }).click();
    await heading('Second').waitFor();
    release();
    await page.getByText(/is disabled until you enable it/).waitFor();
    await tab.settled();
    await heading('Second').waitFor();
  });

  it('opens no new record whose dialog was closed meanwhile, nor closes the next one', async () => {
    await sideBar('Domains').click();
    const release = await hold('/domains');
    await button('Add a domain').click();
    await field('Domain').fill('closed.faults.test');
    await button('Add the domain').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Add a domain').click();
    await field('Domain').fill('typed next');
    release();
    await page.getByText('closed.faults.test').waitFor();
    await tab.settled();
    expect(await field('Domain').inputValue()).toBe('typed next');
    await page.keyboard.press('Escape');
    await heading('Domains').waitFor();
  });

  it('keeps a step open in which something is typed while it is being saved', async () => {
    const headers = { 'X-Project-Id': project.id };
    const { id } = (await owner.call('POST', '/workflows', { name: 'Waits', eventName: 'typed' }, headers))
      .body;
    const step = { type: 'DELAY', name: 'Wait', config: { amount: 1, unit: 'days' } };
    const stepId = (await owner.call('POST', `/workflows/${id}/steps`, step, headers)).body.id;
    await page.goto(`projects/${project.id}/workflows/${id}?step=${stepId}`);
    const panel = page.getByRole('dialog');
    const name = panel.getByRole('textbox', { name: 'Step name' });
    await name.fill('Wait a day');
    const release = await hold(`/workflows/${id}/steps/${stepId}`);
    await panel.getByRole('button', { name: 'Save' }).click();
    await name.fill('Wait for a day');
    release();
    await page.getByRole('alertdialog').getByText('Saved').waitFor();
    await expect.poll(() => panel.locator('[data-pending]').count()).toBe(0);
    expect(await name.inputValue()).toBe('Wait for a day');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.waitFor({ state: 'detached' });
    const { steps } = (await asked(`/workflows/${id}`)).body;
    expect(steps.map((one: { name: string }) => one.name)).toContain('Wait for a day');
  });

  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'subscribed', operator: 'equals', value: true }] }],
  };
  it.each([
    ['DELAY', { amount: 1, unit: 'days' }],
    ['CONDITION', condition],
  ])('closes no other step when a %s that was left has been saved', async (type, config) => {
    const headers = { 'X-Project-Id': project.id };
    const add = async (path: string, body: object) => (await owner.call('POST', path, body, headers)).body.id;
    const id = await add('/workflows', { name: 'Left', eventName: `left ${type}` });
    const left = await add(`/workflows/${id}/steps`, { type, name: 'First', config });
    await add(`/workflows/${id}/steps`, { type: 'EXIT', name: 'Second', config: {} });
    await page.goto(`projects/${project.id}/workflows/${id}?view=outline&step=${left}`);
    const panel = page.getByRole('dialog', { name: 'First' });
    await panel.getByRole('textbox', { name: 'Step name' }).fill('Renamed');
    const release = await hold(`/workflows/${id}/steps/${left}`);
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await button('Leave').click();
    await panel.waitFor({ state: 'detached' });
    await button(/Second/)
      .first()
      .click();
    const other = page.getByRole('dialog', { name: 'Second' });
    await other.waitFor();
    release();
    await page.getByRole('alertdialog').getByText('Saved').waitFor();
    await page.getByText('Renamed').first().waitFor();
    await tab.settled();
    expect(await other.count()).toBe(1);
    await other.getByRole('button', { name: 'Cancel' }).click();
  });

  it('says how many joined a segment once its page shows them', async () => {
    const headers = { 'X-Project-Id': project.id };
    const { id } = (await owner.call('POST', '/segments', { name: 'By hand', type: 'STATIC' }, headers)).body;
    await page.goto(`projects/${project.id}/segments/${id}`);
    await page.getByText('No members yet').waitFor();
    const members = `${stage.stack.url}/segments/${id}/contacts*`;
    await page.route(members, async (route) => {
      await delay(500);
      await route.continue();
    });
    await button('Add addresses').click();
    const dialog = page.getByRole('dialog');
    const addresses = dialog.getByRole('textbox', { name: 'Addresses' });
    await addresses.fill('ada@example');
    await dialog.getByRole('button', { name: 'Add 1 address' }).click();
    await dialog.getByText('This can’t be accepted:').waitFor();
    expect(tab.complaints()).toEqual([expect.stringContaining('status of 422')]);
    await addresses.fill('Ada <ada@example.com>; (mailto:ada@example.com).');
    await dialog.getByRole('button', { name: 'Add 1 address' }).click();
    await dialog.getByText('1 contact joined the segment.').waitFor();
    expect(await page.getByText('No members yet').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.unroute(members);
    await page.goto('account');
    expect((await owner.call('DELETE', `/segments/${id}`, undefined, headers)).status).toBe(204);
  });

  it('emails one link to change the password for two clicks', async () => {
    await page.goto('account');
    const mail = button('Email me a link to change it');
    await mail.waitFor();
    const release = await hold('/auth/request-password-reset');
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/auth/request-password-reset')) requests += 1;
    });
    await mail.press('Enter');
    await mail.press('Enter');
    release();
    await page.getByText(/a link is on its way/).waitFor();
    expect(requests).toBe(1);
  });

  it('keeps what is typed while settings are being saved', async () => {
    await page.goto(`projects/${project.id}/settings`);
    const address = field('Postal address');
    await address.fill('1 Main Street');
    let release = await hold(`/users/@me/projects/${project.id}`);
    await button('Save').click();
    await address.fill('1 Main Street, Springfield');
    release();
    await page.getByText('The settings are saved.').waitFor();
    expect(await address.inputValue()).toBe('1 Main Street, Springfield');
    await button('Save').click();
    await expect.poll(() => button('Save').isDisabled()).toBe(true);
    await page.goto(`projects/${project.id}/settings?tab=limits`);
    await field('Campaigns').fill('1');
    release = await hold(`/users/@me/projects/${project.id}/billing-limits`);
    await button('Save the limits').click();
    await field('Campaigns').fill('1000');
    release();
    await page.getByText('The limits are saved.').waitFor();
    expect(await field('Campaigns').inputValue()).toBe('1000');
    await field('Campaigns').fill('');
    await button('Save the limits').click();
    await page.getByText('The limits are saved.').nth(1).waitFor();
  });

  it('tells a user who is no longer a member', async () => {
    const guest = await createVerifiedPerson(stage.stack);
    const members = `/projects/${project.id}/members`;
    expect((await owner.call('POST', members, { email: guest.email, role: 'MEMBER' })).status).toBe(201);
    const other = await stage.open();
    await other.signIn(guest);
    await other.page.goto(`projects/${project.id}/segments`);
    await other.page.getByText('No segments yet').waitFor();
    await other.settled();
    expect((await owner.call('DELETE', `${members}/${guest.id}`)).status).toBe(204);
    await other.page.getByRole('link', { name: 'Templates' }).click();
    await heading('Not found', other.page).waitFor();
    expect(await other.page.getByRole('navigation').count()).toBe(0);
    await other.page.getByRole('link', { name: 'Go to your project' }).click();
    await other.page.getByText('No project yet').waitFor();
    await other.page.context().close();
  });

  it('opens a page despite unknown values in the URL', async () => {
    await page.goto(`projects/${project.id}/campaigns?status=OLD&page=x&search=2026`);
    await page.getByText('Nothing matches').waitFor();
    for (const list of ['campaigns', 'emails', 'events', 'segments']) {
      await page.goto(`projects/${project.id}/${list}?search=2026`);
      expect(await page.getByRole('searchbox').inputValue(), list).toBe('2026');
    }
    await page.goto(`projects/${project.id}/settings?tab=old`);
    await page.getByRole('tab', { name: 'Project' }).waitFor();
  });

  it('closes the menu of a phone before it shows another project, or searches', async () => {
    await createOwnProject(owner, 'Other');
    const phone = await stage.open({ viewport: { width: 390, height: 844 } });
    await phone.signIn(owner);
    await phone.page.goto(`projects/${project.id}`);
    const menu = phone.page.getByRole('dialog', { name: 'Menu' });
    await button('Menu', phone.page).click();
    await menu.getByRole('button', { name: 'Faults' }).click();
    await phone.page.getByRole('menuitem', { name: 'Other' }).click();
    await heading('Other', phone.page).waitFor();
    await menu.waitFor({ state: 'detached' });
    await button('Menu', phone.page).click();
    await menu.getByRole('button', { name: /^Search/ }).click();
    await phone.page.keyboard.type('Domains');
    await phone.page.keyboard.press('Enter');
    await heading('Domains', phone.page).waitFor();
    expect(await phone.page.getByRole('dialog').count()).toBe(0);
    expect(phone.complaints()).toEqual([]);
    await phone.page.context().close();
  });
});
