import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';

const executable = await findChromium();
const domain = 'mail.keyboard.test';

describe.skipIf(executable === undefined)('by keyboard, in the dashboard', () => {
  const { owner, project, tab, page, heading, field, button, sideBar, asked, usualSender } =
    useDashboardStory(executable, 'Keyboard');
  const post = (path: string, body: object) => owner.call('POST', path, body, { 'X-Project-Id': project.id });
  const focused = <Value>(expression: string) =>
    page.evaluate<Value>(`((element) => ${expression})(document.activeElement)`);

  it('the search moves the focus to the page that it opens', async () => {
    const { id } = (await post('/domains', { domain })).body;
    await asked(`/domains/${id}/verify`);
    // Before the first search, whose list of segments the later ones use for ten seconds.
    await post('/segments', { name: 'Hand-picked readers', type: 'STATIC' });
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}`);
    await heading('Keyboard').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill('Suppressions');
    await page.keyboard.press('Enter');
    await heading('Suppressions').waitFor();
    await eventually(() => focused<string>('element.id'), 'content');
  });

  it.each([
    ['new workflow', /^Workflows/],
    ['add domain', /^Domains/],
    ['create segment', /^New segment/],
    ['replies', /^Activity/],
  ])('the search for “%s” finds where that is done', async (words, name) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill(words);
    await page.getByRole('menuitem', { name }).waitFor();
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill('');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('the search finds segments by a part of their name', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill('picked');
    await page.getByRole('menuitem', { name: /^Hand-picked readers/ }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Hand-picked readers').waitFor();
  });

  it('senders are suggested until the field contains one', async () => {
    await page.goto(`projects/${project.id}/templates/new`);
    await tab.settled();
    const from = page.getByRole('combobox', { name: 'From' });
    const suggestion = page.getByRole('option', { name: `news@${domain}` });
    await usualSender(`hello@${domain}`);
    await from.fill('');
    await from.pressSequentially('news');
    await suggestion.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => from.inputValue()).toBe(`news@${domain}`);
    await from.press('ArrowDown');
    await eventually(() => page.getByRole('option').count(), 0);
    await page.keyboard.press('Tab');
    expect(await from.inputValue()).toBe(`news@${domain}`);
    await from.fill(`hello@${domain}`);
    await page.keyboard.press('Tab');
  });

  it('a field of contacts is inserted where the cursor is', async () => {
    await post('/contacts', { email: 'ada@example.com', data: { homeTown: 'London' } });
    await page.goto(`projects/${project.id}/templates/new`);
    await page.getByRole('radio', { name: 'HTML' }).press('Enter');
    const body = page.getByRole('textbox', { name: 'Body, HTML with Liquid' });
    await body.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('From here');
    for (let presses = 0; presses < 'here'.length; presses += 1) await page.keyboard.press('ArrowLeft');
    await page.getByRole('button', { name: 'Insert field' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Home town' }).press('Enter');
    await expect.poll(() => body.textContent()).toBe('From {{ homeTown ?? "" }}here');
    await page.keyboard.type('now');
    await expect.poll(() => body.textContent()).toBe('From {{ homeTown ?? "" }}nowhere');
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await page.getByRole('button', { name: 'Leave' }).click();
  });

  it('a new record begins with the sender of the newest one, unless somebody is faster', async () => {
    const content = { subject: 'Hello', body: '<p>Hello</p>', from: `team@${domain}`, fromName: 'The team' };
    await post('/campaigns', { name: 'Earlier', audienceType: 'ALL', ...content });
    await post('/templates', { name: 'Earlier', ...content });
    const from = page.getByRole('combobox', { name: 'From' });
    for (const [records, title] of [
      ['campaigns', 'Campaigns'],
      ['templates', 'Templates'],
    ]) {
      await page.goto(`projects/${project.id}/${records}/new`);
      await eventually(() => from.inputValue(), `team@${domain}`);
      expect(await field('Sender name').inputValue()).toBe('The team');
      // Nothing has been entered, so there is no question about leaving.
      await sideBar(String(title)).click();
      await heading(String(title)).waitFor();
    }

    const newest = Promise.withResolvers<void>();
    await page.route(/\/campaigns\?/, async (route) => {
      await newest.promise;
      await route.continue();
    });
    await page.goto(`projects/${project.id}/campaigns/new`);
    await field('Sender name').fill('Somebody');
    const listed = page.waitForResponse(/\/campaigns\?/);
    newest.resolve();
    await listed;
    await tab.settled();
    expect([await from.inputValue(), await field('Sender name').inputValue()]).toEqual(['', 'Somebody']);
    await page.unroute(/\/campaigns\?/);
    await sideBar('Templates').click();
    await button('Leave').click();
  });

  it('a sender that is known late is not joined to what somebody types', async () => {
    const newest = Promise.withResolvers<void>();
    await page.route(/\/campaigns\?/, async (route) => {
      await newest.promise;
      await route.continue();
    });
    await page.goto(`projects/${project.id}/campaigns/new`);
    await page.getByRole('combobox', { name: 'From' }).focus();
    const listed = page.waitForResponse(/\/campaigns\?/);
    newest.resolve();
    await listed;
    await tab.settled();
    await page.keyboard.type(`news@${domain}`);
    expect(await page.getByRole('combobox', { name: 'From' }).inputValue()).toBe(`news@${domain}`);
    await page.unroute(/\/campaigns\?/);
    await page.keyboard.press('Escape');
    await sideBar('Templates').click();
    await button('Leave').click();
  });

  it('the email preview shows that it has the focus', async () => {
    const template = { name: 'Framed', subject: 'Framed', body: '<p>Hello</p>', from: `hello@${domain}` };
    const { body } = await post('/templates', template);
    await page.goto(`projects/${project.id}/templates/${body.id}`);
    const preview = page.getByTitle('Preview of the email');
    await preview.waitFor();
    const outline = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('iframe')).outlineStyle`);
    expect(await outline()).toBe('none');
    await page.getByRole('button', { name: /^Show on a dark background/ }).focus();
    await page.keyboard.press('Tab');
    expect(await focused('element.title')).toBe('Preview of the email');
    await eventually(outline, 'solid');
    await page.keyboard.press('Shift+Tab');
    await eventually(outline, 'none');
  });

  it('a missing field of a segment filter is reported until it is chosen', async () => {
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('button', { name: 'Create segment' }).click();
    const missing = page.getByText('Choose a field').locator('visible=true');
    await eventually(() => missing.count(), 2);
    await page.getByRole('button', { name: /Field$/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^Address/ }).waitFor();
    await page.keyboard.type('address');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a value').waitFor();
    expect(await missing.count()).toBe(0);
    // A filter added since then shows no error before the next try.
    await page.getByRole('button', { name: 'And', exact: true }).click();
    await missing.waitFor();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await eventually(() => missing.count(), 2);
    await page.getByRole('textbox', { name: 'Name' }).fill('All');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('combobox', { name: 'Value' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading('Segments').waitFor();
  });

  it('a field that nothing has yet is offered after those that exist', async () => {
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('button', { name: /Field$/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^Address/ }).waitFor();
    await page.keyboard.type('opened');
    await page.getByRole('option', { name: /^Data “opened”/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Email opened/ }).waitFor();
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading('Segments').waitFor();
  });

  it('an operand has the type of its comparison, and no thousands separator', async () => {
    await post('/contacts', { email: 'bob@example.com', data: { seats: 'many' } });
    await post('/contacts', { email: 'eve@example.com', data: { seats: 5 } });
    await page.goto(`projects/${project.id}/segments/new`);
    const choose = async (select: RegExp, option: string) => {
      await page.getByRole('button', { name: select }).press('Enter');
      await page.getByRole('option', { name: option, exact: true }).press('Enter');
    };
    await page.getByRole('button', { name: /Field$/ }).press('Enter');
    await page.getByRole('option', { name: /^Seats/ }).waitFor();
    await page.keyboard.type('seats');
    await page.keyboard.press('Enter');
    await choose(/Type of the value$/, 'Number');
    const number = page.getByRole('textbox', { name: 'Value' });
    await number.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1,000');
    expect(await number.inputValue()).toBe('1,000');
    await page.getByRole('button', { name: 'Create segment' }).press('Enter');
    await page.getByText('Enter a number, such as 1000 or 2.5').waitFor();
    await number.fill('5');
    await page.getByText('1 contact right now').waitFor();
    await choose(/Comparison$/, 'contains');
    await expect.poll(() => page.getByRole('combobox', { name: 'Value' }).inputValue()).toBe('5');
    // Only texts contain a text.
    await page.getByText('0 contacts right now').waitFor();
    await choose(/Comparison$/, 'is one of');
    const list = page.getByRole('textbox', { name: 'Values, one a line' });
    await expect.poll(() => list.inputValue()).toBe('5');
    await choose(/Type of the values$/, 'Number');
    await page.getByText('1 contact right now').waitFor();
    await list.fill('');
    await list.pressSequentially('6\n5.0');
    expect(await list.inputValue()).toBe('6\n5.0');
    await page.getByText('1 contact right now').waitFor();
    await choose(/Type of the values$/, 'Text');
    await page.getByText('0 contacts right now').waitFor();
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading('Segments').waitFor();
  });

  it('a column of a spreadsheet is pasted as a list of values, and shows again when the segment is opened', async () => {
    for (const [name, tier] of Object.entries({ fay: 'gold', gus: 'silver', hal: 'bronze' }))
      await post('/contacts', { email: `${name}@example.com`, data: { tier } });
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Best tiers');
    await page.getByRole('button', { name: /Field$/ }).press('Enter');
    await page.getByRole('option', { name: /^Tier/ }).waitFor();
    await page.keyboard.type('tier');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Comparison$/ }).press('Enter');
    await page.getByRole('option', { name: 'is one of', exact: true }).press('Enter');
    const create = page.getByRole('button', { name: 'Create segment' });
    await create.press('Enter');
    await page.getByText('Enter a value').waitFor();
    const list = page.getByRole('textbox', { name: 'Values, one a line' });
    await list.fill('gold\n\n silver \n');
    await page.getByText('2 contacts right now').waitFor();
    await create.press('Enter');
    await heading('Best tiers').waitFor();
    await page.reload();
    await page.getByText('Tier is one of gold or silver').waitFor();
    await page.getByRole('tab', { name: 'Condition' }).click();
    expect(await list.inputValue()).toBe('gold\nsilver');
  });

  it('a moment in a segment filter stays one while its hour is changed', async () => {
    await page.goto(`projects/${project.id}/segments/new`);
    await page.getByRole('button', { name: /Field$/ }).press('Enter');
    await page.getByRole('option', { name: /^Date added/ }).waitFor();
    await page.keyboard.type('date added');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Comparison$/ }).press('Enter');
    await page.getByRole('option', { name: 'is on or after', exact: true }).press('Enter');
    await page.getByLabel('Date (UTC)').fill('2026-01-31');
    await page.getByRole('button', { name: 'Compare with a time of the day' }).press('Enter');
    const moment = page.getByLabel('Date and time');
    await moment.fill('2026-01-31T09:30');
    await moment.focus();
    // From the month to the hour.
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Backspace');
    expect(await moment.inputValue()).toBe('');
    await page.keyboard.type('11');
    await expect.poll(() => moment.inputValue()).toBe('2026-01-31T11:30');
    await page.keyboard.press('Backspace');
    await moment.blur();
    expect(await moment.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Create segment' }).press('Enter');
    await page.getByText('Enter a value').waitFor();
    await moment.focus();
    // From the year to the hour without another key.
    await page.keyboard.type('020320270845');
    await expect.poll(() => moment.inputValue()).toBe('2027-02-03T08:45');
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading('Segments').waitFor();
  });

  it('emails are filtered by a campaign older than the newest 100', async () => {
    const campaign = { subject: 'News', body: '<p>Hello</p>', from: `hello@${domain}`, audienceType: 'ALL' };
    const { body } = await post('/campaigns', { ...campaign, name: 'The oldest' });
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => post('/campaigns', { ...campaign, name: `${n}` })),
    );
    await page.goto(`projects/${project.id}/emails`);
    await page.getByRole('button', { name: /Campaign$/ }).click();
    await page.getByRole('option', { name: 'All campaigns' }).waitFor();
    await page.keyboard.type('oldest');
    await page.getByRole('option', { name: 'The oldest' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^The oldest/ }).waitFor();
    expect(page.url()).toContain(`campaignId=${body.data.id}`);
  });
});
