import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatMessage, messages, negotiateLocale, resolveLocale } from './messages.ts';

const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe('messages', () => {
  it('come in every language that has a file', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));
    expect(files.map((name) => name.slice(0, -'.json'.length)).toSorted()).toEqual(
      Object.keys(messages).toSorted(),
    );
  });

  it.each(Object.entries(messages))(
    '%s has every message, with the same placeholders',
    (locale, translated) => {
      expect(Object.keys(translated)).toEqual(Object.keys(messages.en));
      for (const [key, text] of Object.entries(messages.en)) {
        const entry = Object.entries(translated).find(([name]) => name === key)?.[1] ?? '';
        expect(entry.trim(), `${locale} ${key}`).not.toBe('');
        expect(placeholdersOf(entry), `${locale} ${key}`).toEqual(placeholdersOf(text));
      }
    },
  );

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE_ch', 'de'],
    [' fr-CA ', 'fr'],
    ['pt_BR.UTF-8', 'pt'],
    ['en-GB', 'en'],
    ['ja', 'en'],
    ['', 'en'],
    ['constructor', 'en'],
    ['__proto__', 'en'],
    [undefined, 'en'],
    [null, 'en'],
    [7, 'en'],
    [['de'], 'en'],
  ])('are chosen for %j: %s', (locale, expected) => {
    expect(resolveLocale(locale)).toBe(expected);
  });

  it('are those of the fallback for a language without a file', () => {
    expect([resolveLocale('ja', 'pl'), resolveLocale(undefined, 'pl'), resolveLocale('fr', 'pl')]).toEqual([
      'pl',
      'pl',
      'fr',
    ]);
    expect([negotiateLocale('ja', 'pl'), negotiateLocale('ja, en;q=0.5', 'pl')]).toEqual(['pl', 'en']);
  });

  it('take values for their placeholders, and only those', () => {
    expect(formatMessage('en', 'manage.snoozed', { email: 'a@x.io', date: '$& {email}' })).toBe(
      'Our emails to a@x.io pause until $& {email}.',
    );
    expect(formatMessage('de', 'manage.subscribed')).toBe('Unsere E-Mails gehen an {email}.');
  });
});

describe('the language of a browser', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ja,fr;q=0.5', 'fr'],
    ['en;q=0.3, PT-br;q=0.7', 'pt'],
    ['en, de', 'en'],
    ['it;q=0, nl;q=0.1', 'nl'],
    ['it;q=0', 'en'],
    ['es;q=, nl;q=0.2', 'nl'],
    ['es;q=abc', 'en'],
    ['fr ; level=1 ; q=0.4, de ; q = 0.3', 'fr'],
    ['constructor, __proto__', 'en'],
    [';;;,,,', 'en'],
  ])('that sends %j is %s', (header, locale) => {
    expect(negotiateLocale(header)).toBe(locale);
  });
});
