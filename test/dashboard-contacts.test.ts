import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createVerifiedPerson } from './setup/account-mail.ts';
import { insertContacts } from './setup/campaigns.ts';
import { findChromium } from './setup/chromium.ts';
import { useDashboard, type WatchedPage } from './setup/dashboard.ts';
import { createOwnProject } from './setup/people.ts';

const executable = await findChromium();

describe.skipIf(executable === undefined)('in a project with many contacts, the dashboard', () => {
  const contacts = 41_000;
  const stage = useDashboard(executable);
  let tab: WatchedPage;
  let projectId: string;

  beforeAll(async () => {
    const owner = await createVerifiedPerson(stage.stack);
    projectId = (await createOwnProject(owner, 'Large')).id;
    await insertContacts(stage.stack.em(), projectId, contacts);
    await stage.stack.sql(
      `update contacts set data = data || '{"plan": "pro"}'
       where project_id = $1 and (data ->> 'n')::int % 200 = 0`,
      [projectId],
    );
    tab = await stage.open();
    await tab.signIn(owner);
  });
  afterEach(() => expect(tab.complaints()).toEqual([]));

  const open = (data: Record<string, string>) =>
    tab.page.goto(`projects/${projectId}/contacts?data=${encodeURIComponent(JSON.stringify(data))}`);

  it('keeps searching automatically until it finds the last contact with a value', async () => {
    await open({ n: '1' });
    await tab.page.getByRole('link', { name: 'reader-1@example.com', exact: true }).waitFor();
    await tab.page.getByText('1 contact', { exact: true }).waitFor();
  });

  it('keeps the column names visible below the page header', async () => {
    const { page } = tab;
    await open({ plan: 'pro' });
    await page.getByRole('row').nth(40).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 1000);
    const edgesOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      return box && { top: box.y, bottom: box.y + box.height };
    };
    await expect.poll(() => edgesOf('main header')).toMatchObject({ top: 0 });
    const header = await edgesOf('main header');
    await expect.poll(async () => (await edgesOf('th'))?.top).toBeCloseTo(header?.bottom ?? 0, 0);
  });

  it('keeps the actions for selected contacts in view', async () => {
    const { page } = tab;
    await open({ plan: 'pro' });
    await page.getByRole('row').nth(50).getByRole('checkbox').press('Space');
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box && box.y + box.height;
    };
    const header = await bottomOf('main header');
    const selection = page.getByRole('region', { name: 'Selection' });
    await expect.poll(async () => (await selection.boundingBox())?.y).toBeGreaterThanOrEqual(header ?? 0);
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 375, height: 667 });
    await page.getByRole('row').nth(50).scrollIntoViewIfNeeded();
    await expect.poll(() => bottomOf('[aria-label="Selection"]')).toBeLessThan(667 / 3);
    if (desktop) await page.setViewportSize(desktop);
    await selection.getByRole('button', { name: 'Clear' }).click();
  });

  it('counts all matching contacts before they are deleted together', async () => {
    const { page } = tab;
    await open({ plan: 'pro' });
    await page.getByText('50 contacts found so far').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space');
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByText('205 contacts selected').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('textbox', { name: 'Type 205 to confirm' }).fill('205');
    await page.getByRole('button', { name: 'Delete 205 contacts' }).waitFor();
  });

  it('stays open until it has changed the contacts, and shows how many after a stop', async () => {
    const { page } = tab;
    const started = Promise.withResolvers<void>();
    await page.route('**/contacts/bulk-subscribe', async (route) => {
      await started.promise;
      await route.continue();
    });
    await page.goto(`projects/${projectId}/contacts`);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space');
    await page.getByRole('button', { name: /^Select all .*that match$/ }).click();
    const selection = page.getByRole('region', { name: 'Selection' });
    await selection.getByText('41,000 contacts selected').waitFor();
    await selection.getByRole('button', { name: 'Subscribe', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Subscribe 41,000 contacts' });
    const begun = page.waitForRequest('**/contacts/bulk-subscribe');
    await dialog.getByRole('button', { name: 'Subscribe 41,000 contacts' }).click();
    await begun;
    const stop = dialog.getByRole('button', { name: 'Stop after this thousand' });
    await stop.waitFor();
    await page.keyboard.press('Escape');
    await stop.click();
    started.resolve();
    await dialog.getByText(/^1,000 of 41,000: /).waitFor();
    expect(await dialog.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('1000');
    await dialog.getByRole('button', { name: 'Done' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await selection.waitFor({ state: 'detached' });
  });

  it('shows many fields of a contact on request, and long texts with their line breaks', async () => {
    const { page } = tab;
    const fields = Array.from({ length: 30 }, (_, n) => [`field ${n}`, n === 2 ? 'One\ntwo' : `value ${n}`]);
    await stage.stack.sql(
      `update contacts set data = $2 where project_id = $1 and email = 'reader-2@example.com'`,
      [projectId, JSON.stringify(Object.fromEntries(fields))],
    );
    await page.goto(`projects/${projectId}/contacts?search=reader-2@`);
    await page.getByRole('link', { name: 'reader-2@example.com', exact: true }).click();
    const texts = page.getByRole('textbox', { name: /^field / });
    await texts.first().waitFor();
    const names = await texts.evaluateAll((inputs: { getAttribute(name: string): string }[]) =>
      inputs.map((input) => input.getAttribute('aria-label')),
    );
    expect(names.slice(0, 3)).toEqual(['field 0', 'field 1', 'field 2']);
    expect(await page.getByRole('textbox', { name: 'field 2', exact: true }).inputValue()).toBe('One\ntwo');
    expect(names).toHaveLength(25);
    await page.getByRole('button', { name: 'Show all 30 fields' }).click();
    await page.getByRole('textbox', { name: 'field 29' }).waitFor();
  });
});
