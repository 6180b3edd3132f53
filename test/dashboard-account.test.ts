import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createVerifiedPerson, mailedToken } from './setup/account-mail.ts';
import { findChromium } from './setup/chromium.ts';
import { tabTo } from './setup/dashboard.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { createOwnProject, createTestPerson, testPassword } from './setup/people.ts';

const executable = await findChromium();

/** One story of one account: each test continues where the previous one ended. */
describe.skipIf(executable === undefined)('in the dashboard, an account', () => {
  const { stage, owner, project, tab, page, button, link, field, heading, sideBar, asked } =
    useDashboardStory(executable, 'First');
  const menuItem = (name: string | RegExp) => page.getByRole('menuitem', { name, exact: true });
  const searchField = () => page.getByRole('searchbox');

  it('without a project can sign out, and is not redirected in a loop', async () => {
    const newcomer = await stage.open();
    await newcomer.signIn(await createVerifiedPerson(stage.stack));
    await newcomer.page.goto('.');
    await newcomer.page.getByText('No project yet').waitFor();
    expect(await newcomer.page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0);
    const held = Promise.withResolvers<void>();
    await newcomer.page.route('**/auth/logout', async (route) => {
      await held.promise;
      await route.continue();
    });
    await button('Sign out', newcomer.page).click();
    await heading('Signing out …', newcomer.page).waitFor();
    expect(await heading('Sign in', newcomer.page).count()).toBe(0);
    held.resolve();
    await heading('Sign in', newcomer.page).waitFor();
    expect(newcomer.complaints()).toEqual([]);
    await newcomer.page.reload();
    expect((await newcomer.page.request.get(`${stage.stack.url}/users/@me`)).status()).toBe(401);
    await newcomer.page.context().close();
  });

  it('whose input is refused twice sees only the errors of the second one', async () => {
    const newcomer = await stage.open();
    const refused = 'This address can’t be used';
    const error = { code: 'CONFLICT', message: refused, statusCode: 409 };
    await newcomer.page.route('**/auth/signup', (route) =>
      route.fulfill({ status: 409, json: { success: false, error } }),
    );
    await newcomer.page.goto('sign-up');
    await field('Email', newcomer.page).fill('new@example.com');
    await newcomer.page.getByLabel('Password').fill('a long pass phrase');
    await button('Create the account', newcomer.page).click();
    await newcomer.page.getByText(refused).waitFor();
    await field('Email', newcomer.page).fill('new');
    await button('Create the account', newcomer.page).click();
    await newcomer.page.getByText('Enter your email address.').waitFor();
    expect(await newcomer.page.getByText(refused).count()).toBe(0);
    await newcomer.page.context().close();
  });

  it('that opens an invitation learns whose it is, and whether it still works', async () => {
    const invite = async (email: string) => {
      await owner.call('POST', `/projects/${project.id}/members`, { email, role: 'MEMBER' });
      return `accept-invitation?token=${await mailedToken(stage.stack, email, '/app/accept-invitation')}`;
    };
    const unverified = await createTestPerson(stage.stack.url);
    const guest = await stage.open();
    await guest.page.goto('accept-invitation');
    await guest.page.getByText(/^This link is incomplete/).waitFor();
    await guest.page.getByRole('link', { name: 'Go to the dashboard' }).waitFor();
    await guest.signIn(await createVerifiedPerson(stage.stack));
    const link = await invite(unverified.email);
    await guest.page.goto(link);
    await heading('Join First', guest.page).waitFor();
    await guest.page.getByText(/^You are signed in as person-.* signs you out of that account/).waitFor();
    await guest.page.getByText(/^You have an account with this address/).waitFor();
    expect(await field('Email', guest.page).inputValue()).toBe(unverified.email);
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await guest.page.route('**/users/@me/projects', async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    let signUps = 0;
    guest.page.on('request', (request) => {
      if (request.url().endsWith('/auth/signup')) signUps += 1;
    });
    await guest.page.getByLabel('Password').fill(testPassword);
    await button('Accept the invitation', guest.page).click();
    await asked.promise;
    // A second time, while the project is being loaded.
    await guest.page.getByLabel('Password').press('Enter');
    held.resolve();
    await heading('First', guest.page).waitFor();
    expect(signUps).toBe(1);
    await guest.page.goto(link);
    await guest.page.getByText(/^This invitation was used or withdrawn/).waitFor();
    expect(await guest.page.getByRole('button').count()).toBe(0);
    expect(guest.complaints().filter((text) => !text.includes('status of 400'))).toEqual([]);
    await guest.page.context().close();
  });

  it('creates a project from the menu, and is taken there', async () => {
    await tab.signIn(owner);
    await page.goto('.');
    await heading('First').waitFor();
    await button('First').first().click();
    await menuItem('New project …').click();
    await field('Name').fill('x'.repeat(101));
    await button('Create the project').click();
    await page.getByText('Must have at most 100 characters').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
    await field('Name').fill('Second');
    await button('Create the project').click();
    await heading('Second').waitFor();
  });

  it('can distinguish two projects with the same name', async () => {
    const projects = '**/users/@me/projects';
    await page.route(projects, async (route) => {
      const response = await route.fetch();
      const [first, ...others] = (await response.json()).data;
      const twin = { ...first, id: crypto.randomUUID(), createdAt: '2020-02-03T12:00:00.000Z' };
      await route.fulfill({ response, json: { data: [first, twin, ...others] } });
    });
    await page.reload();
    await heading('Second').waitFor();
    await button('Second').first().click();
    expect(await menuItem(/^First/).allTextContents()).toEqual([
      expect.stringMatching(/^FirstCreated \d/),
      expect.stringMatching(/^FirstCreated 3 Feb 2020/),
    ]);
    expect(await menuItem(/^Second/).textContent()).toBe('Second');
    await page.keyboard.press('Escape');
    await page.unroute(projects);
  });

  it('reaches each of thousands of projects, of which menu and list render only some', async () => {
    const projects = '**/users/@me/projects';
    await page.route(projects, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      const more = Array.from({ length: 2_000 }, (_, n) => ({
        ...data[0],
        id: crypto.randomUUID(),
        name: `Client ${n + 1}`,
      }));
      await route.fulfill({ response, json: { data: [...data, ...more] } });
    });
    await page.reload();
    await heading('Second').waitFor();
    await button('Second').first().click();
    await menuItem('Client 1').waitFor();
    expect(await menuItem(/./).count()).toBeLessThan(50);
    await page.keyboard.press('End');
    await menuItem('New project …').waitFor();
    await page.keyboard.press('ArrowUp');
    await menuItem('Client 2000').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    const dashboard = page.url();
    await page.goto('account');
    await link('Client 90').waitFor();
    expect(await link(/^Client/).count()).toBeLessThan(100);
    await button('Show more').click();
    await link('Client 190').waitFor();
    await page.unroute(projects);
    await page.goto(dashboard);
    await heading('Second').waitFor();
  });

  it('deletes a project, and is taken to the others', async () => {
    await sideBar('Settings').click();
    await page.getByRole('tab', { name: 'Danger zone' }).click();
    await button('Delete the project').click();
    await field('Type “Second” to confirm').fill('Second');
    let deletions = 0;
    page.on('request', (request) => {
      if (request.method() === 'DELETE') deletions += 1;
    });
    await page.route('**/users/@me/projects/*', async (route) => {
      await delay(1_000);
      await route.continue();
    });
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Enter');
    await heading('Account').waitFor();
    await page.unroute('**/users/@me/projects/*');
    expect(deletions).toBe(1);
    await link('Second').waitFor({ state: 'detached' });
    await link('Dashboard').click();
    await heading('First').waitFor();
  });

  it('leaves a project that others own, and not one without another owner', async () => {
    const host = await createVerifiedPerson(stage.stack);
    const theirs = await createOwnProject(host, 'Theirs');
    const member = { email: owner.email, role: 'MEMBER' };
    expect((await host.call('POST', `/projects/${theirs.id}/members`, member)).status).toBe(201);
    await page.goto('account');
    const leave = async (name: string) => {
      await button(`Actions for ${name}`).click();
      await menuItem('Leave the project …').click();
      await button('Leave').click();
    };
    await leave('Theirs');
    await link('Theirs').waitFor({ state: 'detached' });
    await leave('First');
    await page.getByText('A project requires at least one owner').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
    await button('Cancel').click();
    await link('Dashboard').click();
    await heading('First').waitFor();
  });

  it('that has paid sees the subscription once Stripe has reported it, and can’t pay twice meanwhile', async () => {
    let subscription: object | null = null;
    await page.route('**/config', async (route) => {
      const response = await route.fetch();
      const config = await response.json();
      await route.fulfill({ json: { ...config, features: { ...config.features, billing: true } } });
    });
    await page.route('**/billing-consumption', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), subscription } });
    });
    await page.route('**/billing-invoices*', (route) =>
      route.fulfill({ json: { data: [], cursor: null, hasMore: false } }),
    );
    await page.goto(`projects/${project.id}/billing?checkout=cancelled`);
    await page.getByText('No payment was made.').waitFor();
    await button('Subscribe').waitFor();
    await page.goto(`projects/${project.id}/billing?checkout=success`);
    await page.getByText(/^Stripe is confirming the payment/).waitFor();
    await page.getByText('No invoice yet.').waitFor();
    expect(await button('Subscribe').count()).toBe(0);
    subscription = {
      status: 'active',
      priceId: 'p',
      currentPeriodStart: null,
      currentPeriodEnd: null,
      endsAt: null,
    };
    await page.getByText('The subscription is set up.').waitFor();
    subscription = { ...subscription, status: 'past_due' };
    await page.goto(`projects/${project.id}/settings?tab=limits`);
    await page.getByText('A payment has failed').waitFor();
    await page.getByText(/under “Manage payment”/).waitFor();
    await page.unrouteAll();
  });

  it('gives up its own role only after a confirmation', async () => {
    const other = await createVerifiedPerson(stage.stack);
    const members = `/projects/${project.id}/members`;
    expect((await owner.call('POST', members, { email: other.email, role: 'OWNER' })).status).toBe(201);
    const ownRole = async () =>
      (await owner.call('GET', '/users/@me/projects')).body.data.find(
        ({ id }: { id: string }) => id === project.id,
      ).role;
    await page.goto(`projects/${project.id}/settings?tab=members`);
    await tabTo(page, page.getByRole('tab', { name: 'Members' }));
    const choose = async (role: string) => {
      await button(new RegExp(`Role of ${owner.email}`)).click();
      await page.getByRole('option', { name: role }).click();
    };
    const dialog = page.getByRole('dialog', { name: 'Change your own role' });
    await choose('Admin');
    await dialog.getByText('only another owner can give you your role back').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await ownRole()).toBe('OWNER');
    await choose('Admin');
    await dialog.getByRole('button', { name: 'Change my role' }).click();
    await page.getByText(`${owner.email} is admin now.`).waitFor();
    expect(await ownRole()).toBe('ADMIN');
    expect((await other.call('PATCH', `${members}/${owner.id}`, { role: 'OWNER' })).status).toBe(200);
    await page.goto('.');
    await heading('First').waitFor();
  });

  it('sees the current search in the search field of a list', async () => {
    await sideBar('Campaigns').click();
    await searchField().fill('spring');
    await page.getByText('Nothing matches').waitFor();
    await sideBar('Campaigns').click();
    await page.getByText('No campaigns yet').waitFor();
    expect(await searchField().inputValue()).toBe('');
    await page.goBack();
    await page.getByText('Nothing matches').waitFor();
    expect(await searchField().inputValue()).toBe('spring');
    await page.goto(`projects/${project.id}/campaigns?page=3`);
    await button('Go to the first page').click();
    await page.getByText('No campaigns yet').waitFor();
    await page.goto(`projects/${project.id}/workflows?page=3`);
    await button('Go to the first page').click();
    await page.getByText('No workflow yet').waitFor();
  });

  it('finds a segment by its name, and returns to the search results', async () => {
    const headers = { 'X-Project-Id': project.id };
    for (const name of ['Paying', 'On trial'])
      await owner.call('POST', '/segments', { name, type: 'STATIC' }, headers);
    await sideBar('Segments').click();
    await link('Paying').waitFor();
    await searchField().fill('trial');
    await link('Paying').waitFor({ state: 'detached' });
    await link('On trial').click();
    await heading('On trial').waitFor();
    await page.goBack();
    await link('On trial').waitFor();
    expect(await searchField().inputValue()).toBe('trial');
    expect(await link('Paying').count()).toBe(0);
    await searchField().fill('nobody');
    await page.getByText('Nothing matches').waitFor();
  });

  it('corrects a contact without losing what is typed, and copies its id on a page without TLS', async () => {
    const headers = { 'X-Project-Id': project.id };
    const adda = { email: 'adda@example.com', data: { size: 'M' } };
    const { body: contact } = await owner.call('POST', '/contacts', adda, headers);
    await owner.call('POST', '/contacts', { email: 'grace@example.com', data: { plan: 'team' } }, headers);
    await page.addInitScript('delete Navigator.prototype.clipboard');
    await page.goto(`projects/${project.id}/contacts/${contact.id}`);
    const changeTo = async (email: string) => {
      await field('Address').fill(email);
      await button('Change the address').click();
    };
    await button('More').click();
    await menuItem('Change the address …').click();
    await changeTo('grace@example.com');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 409'))).toEqual([]);
    await changeTo('ada@example.com');
    await page.getByText('The address is now ada@example.com').waitFor();
    await heading('ada@example.com').waitFor();
    expect((await asked(`/contacts/${contact.id}`)).body.email).toBe('ada@example.com');

    await button('Add a field').click();
    await page.getByRole('combobox', { name: 'Field' }).fill('plan');
    await page.keyboard.press('Tab');
    await field('Value').fill('pro');
    await sideBar('Domains').click();
    await button('Keep editing').click();
    await button('Add').click();
    await page.getByText('plan is saved').waitFor();
    await field('plan').fill('free');
    await sideBar('Domains').click();
    await button('Keep editing').click();
    await button('Discard').click();

    const toast = (text: string) => page.getByRole('alertdialog').filter({ hasText: text });
    const find = async (email: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox', { name: /^Search pages/ }).fill(email);
      await menuItem(new RegExp(`^${email}`)).click();
    };
    await find('grace@example.com');
    await heading('grace@example.com').waitFor();
    await find('ada@example.com');
    await heading('ada@example.com').waitFor();
    await field('plan').fill('free');
    await find('grace@example.com');
    await button('Leave').click();
    await heading('grace@example.com').waitFor();
    expect(await field('plan').inputValue()).toBe('team');

    await find('ada@example.com');
    await heading('ada@example.com').waitFor();
    await field('plan').fill('free');
    await owner.call('PATCH', `/contacts/${contact.id}`, { data: { plan: 'gold' } }, headers);
    await page.getByRole('switch').press('Space');
    await toast('Unsubscribed').waitFor();
    await button('Save plan').click();
    await page.getByText('Changed meanwhile to “gold”').waitFor();
    await button('Save plan').click();
    await button('Save plan').waitFor({ state: 'detached' });
    const data = async () => (await asked(`/contacts/${contact.id}`)).body.data;
    expect(await data()).toEqual({ plan: 'free', size: 'M' });

    await field('size').fill('L');
    await field('size').press('Enter');
    // Keeps it open.
    await toast('size is saved').hover();
    await field('plan').fill('basic');
    await field('plan').press('Enter');
    await button('Save plan').waitFor({ state: 'detached' });
    await toast('size is saved').getByRole('button', { name: 'Undo' }).click();
    await eventually(data, ({ size }) => size === 'M');
    expect(await data()).toEqual({ plan: 'basic', size: 'M' });

    await button('Copy the id').click();
    await button('Copied').waitFor();
    await sideBar('Contacts').click();
    await searchField().press('ControlOrMeta+v');
    expect(await searchField().inputValue()).toBe(contact.id);
  });

  it('stores changes of a contact in the order in which they are made, and keeps what is typed meanwhile', async () => {
    const headers = { 'X-Project-Id': project.id };
    const joan = { email: 'joan@example.com', data: { plan: 'free', size: 'M' } };
    const { id } = (await owner.call('POST', '/contacts', joan, headers)).body;
    const held = Promise.withResolvers<void>();
    let isFirst = true;
    const path = `${stage.stack.url}/contacts/${id}`;
    await page.route(path, async (route) => {
      if (route.request().method() === 'PATCH' && isFirst) {
        isFirst = false;
        await held.promise;
      }
      await route.continue();
    });
    await page.goto(`projects/${project.id}/contacts/${id}`);
    const subscription = page.getByRole('switch');
    const isOn = () => subscription.isChecked();
    await subscription.press('Space');
    await expect.poll(() => isFirst).toBe(false);
    // A switch still drawn as before would be turned off again.
    await expect.poll(isOn).toBe(false);
    await subscription.press('Space');
    await expect.poll(isOn).toBe(true);
    for (const [name, text, more] of [
      ['plan', 'pro', 'pro+'],
      ['size', 'L', 'L'],
    ] as const) {
      await field(name).fill(text);
      await field(name).press('Enter');
      await field(name).fill(more);
    }
    expect(await subscription.isChecked()).toBe(true);
    // Long enough for a change that does not wait for the first one.
    await delay(500);
    held.resolve();
    const stored = async () => (await asked(`/contacts/${id}`)).body;
    await eventually(stored, ({ data }) => data.size === 'L');
    expect(await stored()).toMatchObject({ subscribed: true, data: { plan: 'pro', size: 'L' } });
    await button('Save size').waitFor({ state: 'detached' });
    expect(await field('plan').inputValue()).toBe('pro+');
    await field('plan').press('Enter');
    await button('Save plan').waitFor({ state: 'detached' });
    expect((await stored()).data).toEqual({ plan: 'pro+', size: 'L' });
    expect(await subscription.isChecked()).toBe(true);
    await page.unroute(path);
  });

  async function chooseImport(text: string, encoding: BufferEncoding = 'utf8'): Promise<void> {
    await page.goto(`projects/${project.id}/contacts/import`);
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text, encoding) };
    await page.locator('input[type=file]').setInputFiles(file);
  }

  it('pastes rows copied from a spreadsheet', async () => {
    await page.goto(`projects/${project.id}/contacts/import`);
    await button('Choose a file').waitFor();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'Email\\tPlan\\r\\nada@pasted.example\\tpro\\r\\n');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    })()`);
    await page.getByText('Pasted rows').waitFor();
    await page.getByText('1 new contact').waitFor();
    await page.getByRole('table', { name: 'First rows' }).getByText('ada@pasted.example').waitFor();
  });

  it('learns that two columns have the same name, and is offered no useless choice', async () => {
    await chooseImport('email,plan,plan\nada@example.com,pro,free\n');
    await page.getByText('Two columns are named "plan"').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('retries the preview of a file after the server failed', async () => {
    const previews = '**/contacts/import?dryRun=true';
    await page.route(previews, (route) => route.fulfill({ status: 502 }));
    await chooseImport('email,plan\nnobody@example.com,pro\n');
    await page.getByText(/^The server can’t answer right now/).waitFor();
    expect(await button('Import').isDisabled()).toBe(true);
    await page.unroute(previews);
    await button('Try again').click();
    await page.getByText('1 new contact').waitFor();
    await button('Import 1 row').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 502'))).toEqual([]);
  });

  it('has to choose a file again when it has changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthaste-import-'));
    const file = join(folder, 'people.csv');
    await writeFile(file, 'email\nada@example.com\nbad\n');
    // The browser compares whole seconds.
    await utimes(file, new Date('2026-01-31'), new Date('2026-01-31'));
    await page.goto(`projects/${project.id}/contacts/import`);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('1 row can’t be used').waitFor();
    await writeFile(file, 'email\nada@example.com\ngood@example.com\n');
    await button('Import 1 row').click();
    await page.getByText('The file has changed since you chose it').waitFor();
    await button('Choose another file').click();
    await page.locator('input[type=file]').setInputFiles(file);
    await button('Import 2 rows').waitFor();
    await rm(folder, { recursive: true });
  });

  it('keeps a column named like a built-in field as data', async () => {
    await chooseImport('email,Subscribed\nada@example.com,to the print edition\n');
    await button(/What Subscribed becomes/).click();
    await page.getByRole('option', { name: 'Data' }).click();
    const firstRows = page.getByRole('table', { name: 'First rows' });
    await firstRows.getByText('to the print edition').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('is asked before its choices for an import are lost', async () => {
    await chooseImport('email,plan\nada@example.com,pro\n');
    const plan = page.getByRole('combobox', { name: 'Field for plan' });
    await plan.fill('tier');
    await page.getByRole('table', { name: 'First rows' }).getByText('tier').waitFor();
    await page.keyboard.press('Tab');
    await sideBar('Segments').click();
    await page.getByRole('dialog', { name: 'Leave without importing?' }).waitFor();
    await button('Keep editing').click();
    expect(await plan.inputValue()).toBe('tier');
    await button('Choose another file').click();
    await page.getByRole('dialog', { name: 'Leave without importing?' }).waitFor();
    await button('Keep editing').click();
    expect(await plan.inputValue()).toBe('tier');
    await button('Choose another file').click();
    await button('Leave').click();
    await button('Drop a CSV file here').waitFor({ state: 'attached' });
    await chooseImport('email,plan\nada@example.com,pro\n');
    await plan.fill('tier');
    await page.keyboard.press('Tab');
    await sideBar('Segments').click();
    await button('Leave').click();
    await heading('Segments').waitFor();
  });

  it('chooses the address column of a file from a spreadsheet on Windows', async () => {
    await chooseImport('Straße;Post\nHauptplatz;ada@example.com\n', 'latin1');
    await page.getByText('Choose which column of the file holds the address.').waitFor();
    await button(/What Post becomes/).click();
    await page.getByRole('option', { name: 'Address' }).click();
    await page.getByRole('table', { name: 'First rows' }).getByText('Hauptplatz').waitFor();
    await page.getByRole('combobox', { name: /Field for Straße/ }).waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('sees how many of many rejected rows are shown, how many can be downloaded, and who joined a new segment', async () => {
    await chooseImport(`email\ngood@example.com\n${'bad\n'.repeat(10_001)}`);
    await page.getByText('The first 100 of 10,001 are shown.').waitFor();
    await page.getByRole('textbox', { name: 'Or the name of a new segment' }).fill('Fair');
    await button('Import 1 row').click();
    await button('Download the first 10,000 rejected rows').waitFor();
    await page.getByText('The first 100 of 10,001 are shown.').waitFor();
    await link('Show the segment').click();
    await heading('Fair').waitFor();
    await link('good@example.com').waitFor();
  });

  it('learns what is missing in rows without a header, and in a header without rows', async () => {
    await chooseImport('Ada,ada@example.com\nGrace,grace@example.com\n');
    await page.getByText('The first row holds an address, "ada@example.com"').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await chooseImport('email,name\n');
    await page.getByText('The file has no rows below the names of its columns.').waitFor();
    expect(await page.getByRole('table', { name: 'First rows' }).count()).toBe(0);
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('sees what a column becomes, however long its name is', async () => {
    const name = 'Which of the following would you like to hear about, and how often? '.repeat(3).trim();
    await chooseImport(`email,${name.replaceAll(',', '')}\nada@example.com,Weekly\n`);
    const choice = page.getByRole('button', { name: /^Data What Which of .* becomes$/ });
    const { x = 0, width = 0 } = (await choice.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(page.viewportSize()?.width ?? 0);
  });

  it('sees the name of the file and its rows on a phone, too', async () => {
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await chooseImport('email\nada@example.com\n');
    const title = page.getByText('people.csv · 1 row');
    expect(await title.evaluate((line) => line.scrollWidth <= line.clientWidth)).toBe(true);
    if (desktop) await page.setViewportSize(desktop);
  });

  it('downloads rejected rows, corrects them and imports that file', async () => {
    await chooseImport('email;name\nzoe@rejected;Zoë\nada@rejected.example;Ada\n');
    await button('Import 1 row').click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      button('Download 1 rejected row').click(),
    ]);
    expect(saved.suggestedFilename()).toBe('rejected-rows.csv');
    const file = await readFile(await saved.path(), 'utf8');
    // With a byte order mark, without which Excel takes it for Windows-1252.
    expect(file).toMatch(/^\ufeffRejected row;/);
    await chooseImport(file.replace('zoe@rejected', 'zoe@rejected.example'));
    const columns = page.getByRole('table', { name: 'Columns' });
    await columns.getByText('Left out: says why an earlier import rejected the row.').first().waitFor();
    const firstRows = page.getByRole('table', { name: 'First rows' });
    await firstRows.getByText('Zoë').waitFor();
    expect(await firstRows.getByText('This is not an email address').count()).toBe(0);
    await button('Import 1 row').click();
    await page.getByText('1 contact created').waitFor();
  });

  it('learns that a column can’t keep a reserved name as data', async () => {
    await chooseImport('email,mail\nada@home.example,ada@work.example\n');
    await button(/What mail becomes/).click();
    await page.getByRole('option', { name: 'Address' }).click();
    await button(/What email becomes/).click();
    await page.getByRole('option', { name: 'Data' }).click();
    await page.getByText('This name is reserved').waitFor();
    await page.getByRole('combobox', { name: 'Field for email' }).fill('home');
    await page.getByRole('table', { name: 'First rows' }).getByText('ada@home.example').waitFor();
    expect(await page.getByText('This name is reserved').count()).toBe(0);
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('sees what the other columns become while its choice for one is refused', async () => {
    await chooseImport('email,plan,tier\nada@example.com,pro,gold\n');
    const tier = page.getByRole('combobox', { name: 'Field for tier' });
    await tier.fill('plan');
    await page.getByText('Two columns are named "plan"').waitFor();
    await button('Address What email becomes').waitFor();
    await button('Data What plan becomes').waitFor();
    await tier.fill('level');
    await page.getByRole('table', { name: 'First rows' }).getByText('gold').waitFor();
    expect(tab.complaints().filter((text) => !text.includes('status of 422'))).toEqual([]);
  });

  it('that keeps unsaved input instead of signing out stays signed in', async () => {
    await page.goto(`projects/${project.id}/settings`);
    await field('Name').fill('Typed');
    const signOut = async () => {
      await button(owner.email).click();
      await menuItem('Sign out').click();
    };
    await signOut();
    await button('Keep editing').click();
    expect(await field('Name').inputValue()).toBe('Typed');
    await button('Save').click();
    await page.getByText('The settings are saved.').waitFor();
    await signOut();
    await heading('Sign in').waitFor();
    await expect
      .poll(async () => (await page.request.get(`${stage.stack.url}/users/@me`)).status())
      .toBe(401);
    expect(await page.getByText('The settings are saved.').count()).toBe(0);
  });
});
