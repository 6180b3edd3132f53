import { describe, expect, it } from 'vitest';
import { defaultEmailBrand } from '../email-brand.ts';
import { renderEmail } from './email-document.ts';
import { createEmailTemplates } from './email-template.ts';
import { maxTemplateBytes } from './template.ts';
import { boundCpu } from './testing/cpu-bound.ts';
import { buildVariables } from './variables.ts';

const links = {
  unsubscribeUrl: `https://mail.x.io/unsubscribe/${'a'.repeat(120)}`,
  subscribeUrl: 'https://mail.x.io/subscribe/a',
  manageUrl: 'https://mail.x.io/manage/a',
  viewUrl: 'https://mail.x.io/view/a',
};
const contact = { id: 'c1', email: 'ada@x.io', subscribed: true, data: {} };
const variables = buildVariables({ contact, links });

const fill = (piece: string, characters = 500 * 1024) => piece.repeat(Math.floor(characters / piece.length));
const repeated = (piece: string, times: number) => `{% for i in (1..${times}) %}${piece}{% endfor %}`;
const busy = repeated(repeated('', 99_999), 99_999);

/** Bodies whose HTML is expensive after rendering: text part, footer, clean-up. */
const hostileBodies: Readonly<Record<string, string>> = {
  'many outputs': fill('{{a}}', 5 * 5000),
  'many outputs with filters': fill('<p>{{ first name ?? "x" | upcase }}</p>', 39 * 3000),
  'many blocks': fill('{% if a %}<b>{% endif %}', 24 * 2500),
  'many links': fill('<a href="{{ a }}">{{ b }}</a>', 29 * 2500),
  'literal brackets': fill('<'),
  'literal links': fill('<a href="x">'),
  'literal quotes': fill('<blockquote>x'),
  'literal entities': fill('&amp;'),
  'rendered quotes': repeated('<blockquote>x', 60_000),
  'rendered lines': repeated('\n  \n<p>', 90_000),
  'rendered blanks': repeated(' '.repeat(40), 40_000),
  'rendered tables': repeated('<table><tr><td>', 60_000),
  'rendered links': repeated('<a href="x">', 5900),
  'rendered link addresses': repeated('{{ unsubscribeUrl }}', 10_000),
  'rendered ends of a body': repeated('</body>', 99_000),
};

describe('hostile emails', () => {
  it.each(
    Object.entries(hostileBodies).flatMap(([name, body]) =>
      (['one', 'many'] as const).map((recipients) => ({ name, body, recipients })),
    ),
  )('bounds $name for $recipients', ({ body, recipients }) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxTemplateBytes);
    const templates = createEmailTemplates({ recipients });
    const [compiled, rendered] = boundCpu(() => {
      const template = templates.compile({ subject: 'Hello', body });
      const options = {
        type: 'MARKETING',
        variables,
        links,
        brand: defaultEmailBrand,
        now: new Date(0),
      } as const;
      return [template, template.ok && renderEmail(template.template, options)] as const;
    });
    if (!compiled.ok) expect(compiled.error.message).toMatch(/at most/);
    else if (rendered && 'email' in rendered) expect(rendered.email.text).toContain(links.unsubscribeUrl);
    else expect(rendered).toMatchObject({ limit: expect.any(String) });
  });

  it('stops at the first part that runs too long', () => {
    const compiled = createEmailTemplates().compile({ subject: busy, body: busy });
    if (!compiled.ok) throw new Error(compiled.error.message);
    const rendered = boundCpu(() =>
      renderEmail(compiled.template, {
        type: 'MARKETING',
        variables,
        links,
        brand: defaultEmailBrand,
        now: new Date(0),
      }),
    );
    expect(rendered).toMatchObject({ ok: false, part: 'subject' });
  });
});
