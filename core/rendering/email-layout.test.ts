import { describe, expect, it } from 'vitest';
import { defaultEmailBrand, type EmailBrand } from '../email-brand.ts';
import { renderEmail } from './email-document.ts';
import { createEmailTemplates } from './email-template.ts';
import { buildVariables } from './variables.ts';

const long = (what: string) =>
  `${what} that is the same for each and every one of our readers, `.repeat(4).trim();

function render(
  body: string,
  data: Record<string, string>,
  type: 'MARKETING' | 'TRANSACTIONAL' = 'MARKETING',
  brand = defaultEmailBrand,
) {
  const compiled = createEmailTemplates({ recipients: 'many' }).compile({ subject: 's', body });
  if (!compiled.ok) throw new Error(compiled.error.message);
  const name = data.name ?? '';
  const links = {
    unsubscribeUrl: `https://x.io/unsubscribe/${name}`,
    subscribeUrl: `https://x.io/subscribe/${name}`,
    manageUrl: `https://x.io/manage/${name}`,
  };
  const contact = { id: name, email: 'ada@x.io', subscribed: true, data };
  const variables = buildVariables({ contact, links });
  const rendered = renderEmail(compiled.template, { type, variables, links, brand, now: new Date(0) });
  if (!rendered.ok) throw new Error(rendered.part);
  return { ...rendered.email, layout: rendered.layout() };
}

/** Whether a text has the pieces in their order. */
function holds(text: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

const page = `<html><body>
<p>${long('A first paragraph')}</p>  <p>Dear {{ name }},</p>
{% if plan == "pro" %}<p>thank you</p>{% else %}<p>have a look</p>{% endif %}
<p>${long('A second paragraph')} {{ city }}</p></BODY></html>`;

describe('the layout of an email', () => {
  it.each([
    ['with both footers', page, { name: 'Ada', plan: 'pro', city: 'Bern\n\n\nWest' }],
    ['in another language', page, { name: '', plan: 'free', locale: 'de' }],
    ['with a body that never ends', page.replace('</BODY></html>', ''), { name: 'Ada', city: '</body>' }],
    ['with a link of its own', `${page}<a href="{{ unsubscribeUrl }}">off</a>`, { name: 'Bob' }],
  ] as const)('is found in the email: %s', (_, body, data) => {
    for (const type of ['MARKETING', 'TRANSACTIONAL'] as const) {
      const { html, text, layout } = render(body, data, type);
      expect(layout.html.join('')).toContain('A first paragraph');
      expect(layout.html.length).toBeGreaterThan(1);
      expect(layout.text.join('')).toContain('A second paragraph');
      expect(holds(text, layout.text)).toBe(true);
      expect(holds(html, layout.html)).toBe(true);
    }
  });

  it('has the address of the footer, and none of before', () => {
    const layouts = [long('Acme'), long('Other')].map((footerAddress) => {
      const { html, text, layout } = render(page, {}, 'MARKETING', { language: 'de', footerAddress });
      expect(layout.html.join('') + layout.text.join('')).toContain(footerAddress);
      expect(holds(html, layout.html) && holds(text, layout.text)).toBe(true);
      return layout.html.join('');
    });
    expect(layouts[1]).not.toContain('Acme');
  });

  it('is one object for all emails of a content that are alike in language and footers', () => {
    const compiled = createEmailTemplates({ recipients: 'many' });
    const layoutFor = (locale: string, brand: Partial<EmailBrand> = {}) => {
      const template = compiled.compile({ subject: 's', body: page });
      if (!template.ok) throw new Error(template.error.message);
      const links = { unsubscribeUrl: 'u', subscribeUrl: 's', manageUrl: 'm' };
      const contact = { id: '', email: 'ada@x.io', subscribed: true, data: { locale } };
      const variables = buildVariables({ contact, links });
      const rendered = renderEmail(template.template, {
        type: 'MARKETING',
        variables,
        links,
        brand: { ...defaultEmailBrand, ...brand },
        now: new Date(0),
      });
      return rendered.ok ? rendered.layout() : undefined;
    };
    expect(layoutFor('de')).toBe(layoutFor('de'));
    expect(layoutFor('de')).not.toBe(layoutFor('fr'));
    expect(layoutFor('de')).toBe(layoutFor('', { language: 'de' }));
    expect(layoutFor('de')).not.toBe(layoutFor('de', { footerAddress: 'Bern' }));
  });
});
