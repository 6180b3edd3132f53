import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';

const executable = await findChromium();
const domain = 'mail.languages.test';
const title = 'חדשות (2027)!';

describe.skipIf(executable === undefined)('the dashboard of people who write in another language', () => {
  const { owner, project, tab, page, button, link, field, asked } = useDashboardStory(
    executable,
    'Languages',
  );
  const post = (path: string, body: object) => owner.call('POST', path, body, { 'X-Project-Id': project.id });
  let templateId: string;

  beforeAll(async () => {
    const { id } = (await post('/domains', { domain })).body;
    await asked(`/domains/${id}/verify`);
    const body = '<html dir="rtl"><body><p>שלום (2027)!</p></body></html>';
    const template = { name: title, subject: 'שלום!', body, from: `hello@${domain}` };
    templateId = (await post('/templates', template)).body.id;
    await post('/templates', { ...template, name: '春のお知らせ' });
    await tab.signIn(owner);
  });

  /** Whether the last character of a text is left of its first. */
  const readsFromRight = (shown: Locator) =>
    shown.evaluate((element) => {
      const text = element.firstChild;
      const range = element.ownerDocument.createRange();
      const leftOf = (index: number) => {
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(text.length - 1) < leftOf(0);
    });

  it('shows names and emails in the direction in which they read', async () => {
    await page.goto(`projects/${project.id}/templates`);
    expect(await readsFromRight(link(title))).toBe(true);
    expect(await readsFromRight(link('春のお知らせ'))).toBe(false);
    await page.goto(`projects/${project.id}/templates/${templateId}`);
    expect(await readsFromRight(page.getByRole('heading', { name: title }))).toBe(true);
    const body = page.getByRole('textbox', { name: 'Body', exact: true });
    expect(await readsFromRight(body.getByRole('paragraph'))).toBe(true);
    const style = field('Subject').evaluate((element) => {
      const { unicodeBidi } = element.ownerDocument.defaultView.getComputedStyle(element);
      return unicodeBidi;
    });
    expect(await style).toBe('plaintext');
  });

  /** The characters of an element in the order in which they stand from left to right. */
  const fromLeft = (shown: Locator) =>
    shown.evaluate((element) => {
      const { ownerDocument } = element;
      const range = ownerDocument.createRange();
      const texts = ownerDocument.createTreeWalker(element, 4);
      const placed: { left: number; char: string }[] = [];
      while (texts.nextNode()) {
        const text = texts.currentNode;
        for (const [index, char] of [...text.data].entries()) {
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          placed.push({ left: range.getBoundingClientRect().left, char });
        }
      }
      return placed
        .sort((one, other) => one.left - other.left)
        .map(({ char }) => char)
        .join('');
    });

  it('keeps the brackets around the address of a sender whose name reads from right to left', async () => {
    await page.goto(`projects/${project.id}/templates/${templateId}`);
    await field('Sender name').fill('חנות');
    const sender = page.getByRole('region', { name: 'Preview' }).getByText(/^חנות </);
    expect(await fromLeft(sender)).toContain(`<hello@${domain}>`);
    await button('Save').click();
    await page.getByText(/^Saved/).waitFor();
  });

  it('declares the language of the project in a new email', async () => {
    await owner.call('PATCH', `/users/@me/projects/${project.id}`, { language: 'de' });
    await page.goto(`projects/${project.id}/templates/new`);
    await page.getByRole('radio', { name: 'HTML' }).click();
    await page.getByText('<html lang="de">').waitFor();
    await button('Designs').click();
    await button('Letter').click();
    await page.getByText('<html lang="de">').waitFor();
    await page.getByText('Thank you,').first().waitFor();
  });

  it('finds a name by a word of one character', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: /^Search pages/ }).fill('春');
    await page.getByRole('menuitem', { name: /^春のお知らせ/ }).waitFor();
  });
});
