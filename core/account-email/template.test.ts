import { describe, expect, it } from 'vitest';
import { defaultEmailBrand } from '../email-brand.ts';
import { type Locale, messages } from '../messages/messages.ts';
import { renderEmail } from '../rendering/email-document.ts';
import { createEmailTemplates } from '../rendering/email-template.ts';
import { buildVariables } from '../rendering/variables.ts';
import { accountEmailTemplate, accountEmailVariables } from './template.ts';

const link = 'https://app.example.com/invitation?token=abc&lang=en';
const links = {
  unsubscribeUrl: 'https://a.example/u',
  subscribeUrl: '',
  manageUrl: 'https://a.example/m',
  viewUrl: '',
};
const contact = { id: '', email: 'ada@example.com', subscribed: false, data: {} };

/** Renders the email, and its text also from a text template: the third use of a content creates one. */
function render(requestData: Record<string, string>) {
  const templates = createEmailTemplates();
  const rendered = [1, 2, 3, 4].map(() => {
    const compiled = templates.compile(accountEmailTemplate);
    if (!compiled.ok) throw new Error(compiled.error.message);
    const email = renderEmail(compiled.template, {
      type: 'TRANSACTIONAL',
      variables: buildVariables({ contact, links, requestData }),
      links,
      brand: defaultEmailBrand,
      now: new Date(),
    });
    if (!email.ok) throw new Error(email.limit);
    return email.email;
  });
  expect(rendered.at(-1)).toEqual(rendered[0]);
  return rendered[0] ?? { subject: '', html: '', text: '', headers: {} };
}

const texts = {
  title: 'Invitation to Acme',
  text: 'You are invited to work on Acme.',
  button: 'Accept the invitation',
  hours: 1,
  hint: 'You can ignore this email.',
};
const mail = (changes: Partial<typeof texts> = {}, accountLink = link, sender = 'Posthaste') =>
  render({ ...accountEmailVariables('en', sender, { ...texts, ...changes }), accountLink });

describe('an email about an account', () => {
  it('says everything once in its text, the address included', () => {
    expect(mail().text).toBe(
      [
        'Invitation to Acme',
        'You are invited to work on Acme.',
        `Accept the invitation [${link}]`,
        'The link works once, for 1 hour.',
        'You can ignore this email.',
      ].join('\n\n'),
    );
  });

  it('has a button and the address in its HTML, and loads nothing from elsewhere', () => {
    const { html, subject } = mail();
    expect(subject).toBe('Invitation to Acme');
    expect(
      html.match(
        /<a ses:no-track [^>]*href="https:\/\/app\.example\.com\/invitation\?token=abc&amp;lang=en"/g,
      ),
    ).toHaveLength(2);
    expect(html).toContain('<html lang="en">');
    expect(html).not.toMatch(/<img|<link|src=|url\(|@import|<script/i);
    expect(Buffer.byteLength(html)).toBeLessThan(8_000);
  });

  it('has neither button nor address without a link, and mentions no expiry', () => {
    const { html, text } = render({
      ...accountEmailVariables('en', 'Posthaste', { ...texts, hours: null }),
      accountLink: '',
    });
    expect(html).not.toContain('href');
    expect(text).toBe(['Invitation to Acme', texts.text, texts.hint].join('\n\n'));
  });

  it('shows names as they are, whatever is in them', () => {
    const name = `<script>alert("1")</script> {{ 'x' | upcase }} & "O'Neil"`;
    const { html, text, subject } = mail(
      { title: `Invitation to ${name}`, text: `Work on ${name}` },
      link,
      name,
    );
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
    expect(html.match(/\{\{ &#39;x&#39; \| upcase \}\}/g)).toHaveLength(5);
    expect(subject).toBe(`Invitation to ${name}`);
    expect(text).toContain(`Work on ${name}`);
  });

  it.each<[Locale, number, string]>([
    ['en', 1, '1 hour'],
    ['en', 24, '24 hours'],
    ['en', 168, '7 days'],
    ['de', 1, '1 Stunde'],
    ['de', 24, '24 Stunden'],
    ['de', 168, '7 Tage'],
    ['es', 1, '1 hora'],
    ['es', 168, '7 días'],
    ['fr', 1, '1 heure'],
    ['fr', 168, '7 jours'],
    ['it', 1, '1 ora'],
    ['it', 24, '24 ore'],
    ['nl', 1, '1 uur'],
    ['nl', 168, '7 dagen'],
    ['pl', 1, '1 godzina'],
    ['pl', 24, '24 godziny'],
    ['pl', 168, '7 dni'],
    ['pt', 1, '1 hora'],
    ['pt', 168, '7 dias'],
  ])('says in %s how long %i hours are: %s', (locale, hours, expected) => {
    const { expiry, fallback } = accountEmailVariables(locale, 'Posthaste', { ...texts, hours });
    // French joins number and unit by a space that does not break.
    expect(expiry?.replaceAll('\u00a0', ' ')).toBe(
      messages[locale]['account.expiry'].replace('{duration}', expected),
    );
    expect(fallback).toBe(messages[locale]['account.fallback']);
  });
});
