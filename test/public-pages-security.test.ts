import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { messages } from '../core/messages/messages.ts';
import { createLinkToken, type LinkPurpose } from '../core/public-links.ts';
import { useTestProduct } from './setup/product.ts';
import { readContact, readEvents } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { createTestSubscriber, type TestSubscriber, visitPage } from './setup/subscribers.ts';

const guessesPerMinute = 60;
const purposes: LinkPurpose[] = ['unsubscribe', 'subscribe', 'manage'];

const stack = useTestProduct({
  AUTH_RATE_LIMIT_PER_MINUTE: String(guessesPerMinute),
  TRUST_PROXY: 'true',
});
const sender = useSender(stack);
let address = 0;
beforeEach(() => {
  address += 1;
});

/** A client address per test, so that the limit on guesses does not carry over. */
const from = () => ({ 'X-Forwarded-For': `192.0.2.${address}` });
const visit = (path: string, form?: Record<string, string> | string, headers: Record<string, string> = {}) =>
  visitPage(`${stack.url}${path}`, form, { ...from(), ...headers });
const contactOf = (reader: TestSubscriber) => readContact(stack.em(), sender.projectId, reader.email);

async function expectRefused(path: string, form?: Record<string, string> | string): Promise<void> {
  const page = await visit(path, form);
  expect(page.status, path).toBe(404);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.text).toContain(`<h1>${messages.en['page.invalidLink']}</h1>`);
  expect(page.text).not.toContain('<form');
}

describe('unsubscribe token guessing', () => {
  it('finds nothing: made up, changed, cut and lengthened tokens get the same page', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const before = await contactOf(reader);
    const token = reader.token('unsubscribe');
    const bytes = Buffer.from(token, 'base64url');
    const changed = Buffer.from(bytes);
    changed[47] = (changed[47] ?? 0) ^ 1;
    const guesses = [
      randomBytes(48).toString('base64url'),
      Buffer.concat([bytes.subarray(0, 32), randomBytes(16)]).toString('base64url'),
      Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(16)]).toString('base64url'),
      changed.toString('base64url'),
      token.slice(0, -1),
      `${token}A`,
      `${token}%3D`,
      token.toUpperCase(),
      reader.contactId,
      'x',
      '..%2F..%2Fetc%2Fpasswd',
      "'%20or%201=1--",
      'a'.repeat(2_000),
    ];
    const pages = new Set<string>();
    for (const guess of guesses) {
      await expectRefused(`/unsubscribe/${guess}`, '');
      pages.add((await visit(`/unsubscribe/${guess}`)).text);
    }
    expect(pages.size).toBe(1);
    expect(await contactOf(reader)).toEqual(before);
  });

  it('is rate-limited by address, while genuine links still work from there', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const guess = () => visit(`/unsubscribe/${randomBytes(48).toString('base64url')}`, '');
    const statuses: number[] = [];
    for (let i = 0; i <= guessesPerMinute * 2; i += 1) statuses.push((await guess()).status);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    const limited = await guess();
    if (limited.status === 429) {
      expect(limited.text).toContain(messages.en['page.tooManyTries']);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await visit(reader.path('unsubscribe'), '')).status).toBe(200);
    expect(await contactOf(reader)).toMatchObject({ subscribed: false });
    expect(
      (await visit('/unsubscribe/x', undefined, { 'X-Forwarded-For': '198.51.100.1' })).status,
      'another address',
    ).toBe(404);
  });
});

describe('a token', () => {
  it('of one purpose does not work for another', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const before = await contactOf(reader);
    for (const purpose of purposes) {
      await expectRefused(`/view/${reader.token(purpose)}`);
      await expectRefused(`/${purpose}/${reader.token('view')}`);
    }
    for (const page of purposes) {
      for (const purpose of purposes.filter((other) => other !== page)) {
        await expectRefused(`/${page}/${reader.token(purpose)}`);
        await expectRefused(`/${page}/${reader.token(purpose)}`, { action: 'unsubscribe', snooze: '1-year' });
      }
    }
    expect(await contactOf(reader)).toEqual(before);
  });

  it('of another project, contact or email does not work', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const other = await createTestSender(stack.url);
    const stranger = await createTestSubscriber(stack, other);
    const before = await contactOf(reader);
    const key = deriveKey(stack.environment.APP_SECRET ?? '', 'public-link');
    const own = { projectId: sender.projectId, contactId: reader.contactId, emailId: reader.emailId };
    const mac = (token: string) => Buffer.from(token, 'base64url').subarray(32);
    const forged = [
      createLinkToken(key, 'unsubscribe', { ...own, projectId: other.projectId }),
      createLinkToken(randomBytes(32), 'unsubscribe', own),
      createLinkToken(deriveKey(stack.environment.APP_SECRET ?? '', 'session'), 'unsubscribe', own),
      // The ids of one link with the seal of another.
      Buffer.concat([
        Buffer.from(reader.token('unsubscribe'), 'base64url').subarray(0, 32),
        mac(stranger.token('unsubscribe')),
      ]).toString('base64url'),
      Buffer.concat([
        Buffer.from(reader.contactId.replaceAll('-', ''), 'hex'),
        Buffer.from(stranger.emailId.replaceAll('-', ''), 'hex'),
        mac(reader.token('unsubscribe')),
      ]).toString('base64url'),
    ];
    for (const token of forged) await expectRefused(`/unsubscribe/${token}`, '');
    expect(await contactOf(reader)).toEqual(before);
    expect((await visit(stranger.path('unsubscribe'), '')).status).toBe(200);
    expect(await contactOf(reader)).toEqual(before);
  });
});

it('GET and HEAD change nothing, so that link scanners unsubscribe nobody', async () => {
  const reader = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
  const before = await contactOf(reader);
  for (const purpose of purposes) {
    for (const query of ['', '?action=unsubscribe&snooze=1-year', '?List-Unsubscribe=One-Click']) {
      expect((await visit(`${reader.path(purpose)}${query}`)).status).toBe(200);
      const head = await fetch(`${stack.url}${reader.path(purpose)}${query}`, { method: 'HEAD' });
      expect(head.status).toBe(200);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      await fetch(`${stack.url}${reader.path(purpose)}`, { method });
    }
  }
  expect(await contactOf(reader)).toEqual(before);
  expect(await readEvents(stack.em(), sender.projectId)).toEqual([]);
});

it('an open redirect is not possible: no page leads anywhere else', async () => {
  const reader = await createTestSubscriber(stack, sender);
  const evil = 'https://evil.example/';
  for (const purpose of purposes) {
    for (const name of ['next', 'redirect', 'redirect_url', 'return_to', 'url']) {
      const path = `${reader.path(purpose)}?${name}=${encodeURIComponent(evil)}`;
      for (const form of [undefined, { [name]: evil, action: evil }]) {
        const page = await visit(path, form, {
          Referer: evil,
          Origin: evil,
          'X-Forwarded-Host': 'evil.example',
        });
        expect(page.status).toBe(200);
        expect(page.headers.get('location')).toBeNull();
        expect(page.text).not.toContain('evil.example');
        expect(page.text).not.toMatch(/https?:|href=|http-equiv="refresh"/i);
        for (const [, action = ''] of page.text.matchAll(/action="([^"]*)"/g)) {
          expect(action).toMatch(/^\.\.\/subscribe\/[\w-]{64}$|^$/);
        }
      }
    }
  }
});

it('markup in names, addresses and locales stays text', async () => {
  const script = `"><script>alert('x')</script><img src=x onerror=alert(1)>`;
  const reader = await createTestSubscriber(stack, sender, { data: { locale: script } });
  await stack.sql('update projects set name = $2 where id = $1', [sender.projectId, script]);
  await stack.sql('update contacts set email = $2 where id = $1', [reader.contactId, `${script}@x.io`]);
  for (const purpose of purposes) {
    const page = await fetch(`${stack.url}${reader.path(purpose)}`);
    const text = await page.text();
    expect(text).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;');
    expect(text).not.toMatch(/<script|<img/i);
    expect(text).toContain('<html lang="en">');
  }
});

it('every page forbids scripts, frames, caches, indexes and referrers, sets no cookie and loads nothing', async () => {
  const reader = await createTestSubscriber(stack, sender);
  const answers = [];
  for (const purpose of purposes) {
    answers.push(await fetch(`${stack.url}${reader.path(purpose)}`));
    answers.push(await fetch(`${stack.url}${reader.path(purpose)}`, { method: 'POST' }));
    answers.push(await fetch(`${stack.url}/${purpose}/guess`));
  }
  for (const answer of answers) {
    const body = await answer.text();
    const [, style = ''] = /<style>([^<]+)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(body.replace(style, '')).not.toMatch(
      /<script|<link|<img|<iframe|src=|style="| on\w+="|@import|url\(/i,
    );
    expect(body).toMatch(/^<!doctype html>\n<html lang="en">/);
  }
});

it('an error page speaks the language of the browser, since it knows no contact', async () => {
  const german = { 'Accept-Language': 'ja, de-CH;q=0.9, en;q=0.8' };
  const byBrowser = { Accept: 'text/html,*/*;q=0.8' };
  const text = messages.de;
  const reader = await createTestSubscriber(stack, sender, { data: { locale: 'fr' } });
  const pages = [
    [await visit('/unsubscribe/guess', '', german), 404, text['page.invalidLink']],
    [await visit('/manage/%00', undefined, german), 422, text['page.invalidLink']],
    [await visit('/manage/%', undefined, { ...german, ...byBrowser }), 400, text['page.invalidLink']],
    [await visit(reader.path('manage'), 'x'.repeat(100_000), german), 413, text['page.failed']],
  ] as const;
  for (const [page, status, title] of pages) {
    expect(page.status).toBe(status);
    expect(page.text).toContain(`<h1>${title}</h1>`);
    expect(page.text).toContain('<html lang="de">');
    expect(page.headers.get('content-language')).toBe('de');
  }
  expect((await visit(reader.path('manage'), undefined, german)).text).toContain('<html lang="fr">');
  await sender.delete(`/contacts/${reader.contactId}`);
  expect((await visit(reader.path('manage'), undefined, german)).text).toContain(text['page.gone']);
});

it('a token in the URL reaches neither the log nor the metrics', async () => {
  const reader = await createTestSubscriber(stack, sender);
  await visit(reader.path('manage'));
  const metrics = await (await fetch(`${stack.url}/metrics`)).text();
  expect(metrics).toContain('/manage/:token');
  expect(metrics).not.toContain(reader.token('manage'));
});

it('a request that fails is answered by a page too, and changes nothing', async () => {
  const reader = await createTestSubscriber(stack, sender);
  const before = await contactOf(reader);
  const tooLong = await visit(reader.path('unsubscribe'), 'x'.repeat(100_000));
  expect(tooLong.status).toBe(413);
  expect(tooLong.text).toContain(messages.en['page.failed']);
  const notAForm = await visit(reader.path('manage'), '{}', { 'Content-Type': 'application/json' });
  expect(notAForm.status).toBe(400);
  expect(notAForm.text).toContain(messages.en['page.failed']);
  const unreadable = await visit('/manage/%00');
  expect(unreadable.status).toBe(422);
  expect(unreadable.text).toContain(messages.en['page.invalidLink']);
  for (const page of [tooLong, notAForm, unreadable]) {
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  expect(await contactOf(reader)).toEqual(before);
});
