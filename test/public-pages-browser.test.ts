import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { contrastRatio } from '../core/brand-color.ts';
import { type Locale, messages } from '../core/messages/messages.ts';
import { findChromium, startChromium } from './setup/chromium.ts';
import { fileFixture } from './setup/fixtures.ts';
import { readContact } from './setup/read-database.ts';
import { useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, type TestSubscriber } from './setup/subscribers.ts';

const outlineScript = 'getComputedStyle(document.activeElement).outlineStyle';
const executable = await findChromium();
const phone: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  javaScriptEnabled: false,
};

describe.skipIf(executable === undefined)('the public pages on a phone without JavaScript', () => {
  const stack = useSharedProduct();
  const sender = useOneSender(stack);
  const browser = fileFixture(
    () => startChromium(executable ?? ''),
    ({ close }) => close(),
  );
  /** Requests to other sites, and errors that the browser reported. */
  let complaints: string[] = [];

  let opened: Page | undefined;

  afterEach(async () => {
    await opened?.context().close();
    opened = undefined;
    const seen = complaints;
    complaints = [];
    expect(seen).toEqual([]);
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.open({ ...phone, ...options });
    const page = await context.newPage();
    opened = page;
    page.on('console', (message) => {
      // A page for an invalid link is meant to be a 404.
      if (!message.text().includes('status of 404')) complaints.push(message.text());
    });
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
      const isPage = request.resourceType() === 'document' && request.url().startsWith(stack.url);
      if (!isPage) complaints.push(`${request.resourceType()}: ${request.url()}`);
    });
    return page;
  }

  const address = (reader: TestSubscriber, purpose: 'unsubscribe' | 'subscribe' | 'manage') =>
    `${stack.url}${reader.path(purpose)}`;
  const contactOf = (reader: TestSubscriber) => readContact(stack.em(), sender.projectId, reader.email);
  /** Taps a button and waits for the resulting page. */
  async function press(page: Page, name: string): Promise<void> {
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name, exact: true }).tap();
    await loaded;
  }

  it('unsubscribe with one tap, and take it back with another', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const page = await open();
    await page.goto(address(reader, 'unsubscribe'));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Unsubscribe');
    await press(page, 'Unsubscribe');
    expect(await page.getByRole('status').textContent()).toContain('You are unsubscribed.');
    expect(await contactOf(reader)).toMatchObject({ subscribed: false });
    await press(page, 'Subscribe again');
    expect(await page.getByRole('status').textContent()).toContain('You are subscribed.');
    expect(page.url()).toBe(address(reader, 'subscribe'));
    expect(await contactOf(reader)).toMatchObject({ subscribed: true });
    expect(await page.context().cookies()).toEqual([]);
  });

  it('work with the keyboard alone, and show where the focus is', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const page = await open();
    await page.goto(address(reader, 'manage'));
    await page.keyboard.press('Tab');
    const focused = page.locator('button:focus-visible');
    expect(await focused.textContent()).toBe('Unsubscribe');
    expect(await page.evaluate(outlineScript)).toBe('solid');
    await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('2 weeks');
    const loaded = page.waitForEvent('load');
    await page.keyboard.press('Enter');
    await loaded;
    expect(await contactOf(reader)).toMatchObject({ subscribed: false, snoozedUntil: expect.any(Date) });
  });

  it.each(Object.keys(messages) as Locale[])('snooze and come back in %s', async (locale) => {
    const text = messages[locale];
    const reader = await createTestSubscriber(stack, sender, { data: { locale } });
    const page = await open();
    await page.goto(address(reader, 'manage'));
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    expect(await page.getByRole('group', { name: text['manage.snoozeTitle'] }).count()).toBe(1);
    await press(page, text['manage.snooze6Months']);
    expect(await page.getByRole('status').textContent()).toBe(text['manage.saved']);
    expect(await contactOf(reader)).toMatchObject({ subscribed: false, snoozedUntil: expect.any(Date) });
    await press(page, text['unsubscribe.undo']);
    expect(await contactOf(reader)).toMatchObject({ subscribed: true, snoozedUntil: null });
    await press(page, text['unsubscribe.button']);
    await press(page, text['subscribe.button']);
    expect(await contactOf(reader)).toMatchObject({ subscribed: true });
  });

  it.each(['light', 'dark'] as const)('are legible when the device is set to %s', async (colorScheme) => {
    const reader = await createTestSubscriber(stack, sender);
    for (const brand of ['#ffee00', '#1c2128', '#ffffff', '#808080']) {
      await stack.sql('update projects set brand_color = $2 where id = $1', [sender.projectId, brand]);
      const page = await open({ colorScheme });
      for (const path of [reader.path('manage'), reader.path('unsubscribe'), '/manage/guess']) {
        await page.goto(`${stack.url}${path}`);
        const elements = await readElements(page);
        const paper = elements.find((element) => !element.isButton)?.background ?? '';
        expect(contrastRatio(paper, '#ffffff') > 10).toBe(colorScheme === 'dark');
        for (const element of elements) {
          const about = `${path} ${brand} ${element.text}`;
          expect(contrastRatio(element.color, element.background), about).toBeGreaterThanOrEqual(4.5);
          expect(element.fontPx, about).toBeGreaterThanOrEqual(16);
          if (element.isButton) expect(element.height, about).toBeGreaterThanOrEqual(44);
        }
      }
      await page.context().close();
    }
  });

  it('fit a narrow screen, even with long names and large type', async () => {
    const reader = await createTestSubscriber(stack, sender, { data: { locale: 'de' } });
    await stack.sql('update projects set name = $2 where id = $1', [
      sender.projectId,
      `Donau${'dampf'.repeat(30)}`,
    ]);
    await stack.sql('update contacts set email = $2 where id = $1', [
      reader.contactId,
      `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`,
    ]);
    const page = await open({ viewport: { width: 280, height: 600 } });
    for (const purpose of ['unsubscribe', 'subscribe', 'manage'] as const) {
      await page.goto(address(reader, purpose));
      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths[0], purpose).toBeLessThanOrEqual(widths[1] ?? 0);
    }
  });
});

interface ElementFacts {
  text: string;
  /** `#rrggbb`, as the background, which may be that of an ancestor. */
  color: string;
  background: string;
  fontPx: number;
  height: number;
  isButton: boolean;
}

/**
 * Reads the colors and size of every element with text of its own. A string, because TypeScript knows no browser types
 * here.
 */
const readElementsScript = `(() => {
  const hex = (color) => '#' + color.match(/\\d+/g).slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0')).join('');
  const backgroundOf = (element) => {
    if (element === null) return '#ffffff';
    const color = getComputedStyle(element).backgroundColor;
    return /^rgba\\(.*, 0\\)$/.test(color) ? backgroundOf(element.parentElement) : hex(color);
  };
  return [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim() !== ''))
    .map((element) => ({
      text: element.textContent,
      color: hex(getComputedStyle(element).color),
      background: backgroundOf(element),
      fontPx: Number.parseFloat(getComputedStyle(element).fontSize),
      height: element.getBoundingClientRect().height,
      isButton: element.tagName === 'BUTTON',
    }));
})()`;

const readElements = (page: Page) => page.evaluate<ElementFacts[]>(readElementsScript);
