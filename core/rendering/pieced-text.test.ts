import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentType } from '../content-types.ts';
import { defaultEmailBrand, type EmailBrand } from '../email-brand.ts';
import type { JsonObject } from '../json-value.ts';
import { renderEmail, renderInPieces } from './email-document.ts';
import { createEmailTemplates, type EmailTemplate } from './email-template.ts';
import { gapsOf, wholeText } from './pieced-text.ts';
import { toPlainTextTemplate } from './plain-text-template.ts';
import { compileTemplate, type Template } from './template.ts';
import { buildVariables } from './variables.ts';

const long = (what: string) =>
  `${what} that is the same for each and every one of our readers, `.repeat(4).trim();

// The link of an email holds a MAC of the email's own id, so no template can hold all of it as text.
const [tokenStart, tokenEnd] = ['a1B2'.repeat(15), 'c3D4'];
const token = tokenStart + tokenEnd;
const links = {
  unsubscribeUrl: `https://x.io/unsubscribe/${token}`,
  subscribeUrl: `https://x.io/subscribe/${token}`,
  manageUrl: `https://x.io/manage/${token}`,
  viewUrl: `https://x.io/view/${token}`,
};

function compile(source: string, kind: 'html' | 'text'): Template | undefined {
  const compiled = compileTemplate(source, kind);
  return compiled.ok ? compiled.template : undefined;
}

/** The body as a template without pieces and as one with them. */
function bothOf(body: string): { whole: EmailTemplate; inPieces: EmailTemplate } | undefined {
  const [subject, html] = [compile('s', 'text'), compile(body, 'html')];
  const text = toPlainTextTemplate(body)?.template;
  if (subject === undefined || html === undefined) return undefined;
  const inPieces = { subject, html: html.inPieces(), text: text?.inPieces() };
  return { whole: { subject, html, text }, inPieces };
}

function optionsFor(type: ContentType, data: JsonObject, brand: EmailBrand = defaultEmailBrand) {
  const contact = { id: 'c1', email: 'ada@x.io', subscribed: true, data };
  const variables = buildVariables({ contact, links });
  return { type, variables, links, brand, now: new Date(0) };
}

const fragments = fc.constantFrom(
  ...[`<p>${long('A paragraph')}</p>`, long('A text'), `${long('Lines')}\n\n\n \n${long('and lines')}  \n`],
  ...[
    `<div>${long('A link')} <a href="`,
    `">${long('behind it')}</a></div>`,
    `<p title='${long('A title')}'`,
  ],
  ...[
    '<a href="',
    "<a href = '",
    '">',
    "'>",
    '</a>',
    'https://x.io/unsubscribe/',
    '/',
    tokenStart,
    '\0',
    '{',
    '}',
  ],
  ...[
    '</body>',
    '</BODY></html>',
    '</bo',
    'dy>',
    '</',
    'body',
    '</html',
    '<',
    '>',
    '<p>',
    '</p>',
    '<br>',
    '<li>',
  ],
  ...[
    ' ',
    '\n',
    '\n\n\n',
    '  \n',
    '\u00a0',
    '\t',
    'ä',
    '&nbsp;',
    '&amp;',
    'a',
    '<!--',
    '-->',
    '\ud83d',
    '\ude00',
  ],
  ...[
    '{{ x }}',
    '{{ y | raw }}',
    '{{ x }}{{ y }}',
    '{{- x -}}',
    '{{ unsubscribeUrl }}',
    '{{ unsubscribeUrl | raw }}',
  ],
  ...['{{ manageUrl }}', '{{ unsubscribeUrl | split: "/" | last }}', '{{ "\\u0000" }}', '{{ y | upcase }}'],
  ...['{% if x %}', '{% else %}', '{% endif %}', '{% for i in (1..2) %}', '{% endfor %}', '{% break %}'],
  ...[
    '{% capture z %}',
    '{% endcapture %}',
    '{{ z }}',
    '{% assign x = y %}',
    '{%- comment -%}',
    '{% endcomment %}',
  ],
);
const values = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\n',
      '\n\n',
      ' \n',
      '\0',
      '</body>',
      'dy>',
      '</html>',
      '<a href="',
      'href=',
      '\ud83d',
      '\ude00',
    ],
    ...[
      'https://x.io/unsubscribe/',
      token,
      tokenEnd,
      links.unsubscribeUrl,
      `href="${links.unsubscribeUrl}`,
      '<p>',
      'ä\u00a0',
    ],
  ),
  fc.string({ unit: 'binary' }),
);

describe('a template in pieces', () => {
  it('renders the same emails as the whole one', () => {
    let withPieces = 0;
    fc.assert(
      fc.property(
        fc.array(fragments, { maxLength: 14 }),
        values,
        values,
        fc.constantFrom<ContentType>('MARKETING', 'TRANSACTIONAL'),
        (body, x, y, type) => {
          const both = bothOf(body.join(''));
          if (both === undefined) return;
          const options = optionsFor(type, { x, y });
          const rendered = renderInPieces(both.inPieces, options);
          if (rendered.ok && rendered.email.html.pieces.length > 1) withPieces++;
          expect(renderEmail(both.inPieces, options)).toEqual(renderEmail(both.whole, options));
        },
      ),
      { numRuns: 2000 },
    );
    expect(withPieces).toBeGreaterThan(300);
  });

  it.each(['href=', 'href =', 'href', 'HREF'])('recognizes an unsubscribe link after "%s "', (attribute) => {
    const equals = attribute.includes('=') ? '' : '= ';
    const both = bothOf(`<p>${long('A text')}</p><a ${attribute} ${equals}{{ unsubscribeUrl }}>stop</a>`);
    if (both === undefined) throw new Error('does not compile');
    const rendered = renderInPieces(both.inPieces, optionsFor('MARKETING', {}));
    expect(rendered.ok && wholeText(rendered.email.html)).not.toContain('<div');
    expect(rendered.ok && rendered.email.html.pieces.length).toBe(1);
  });

  it.each([
    `<!-- {{ x }} <b>${long('A comment')}</b> --> <p>${long('A text')}</p>`,
    `<p>${long('A text')}</p> <!-- <b>${long('A comment')}</b> {{ x }} -->`,
    `<p>${long('A text')}</p><!-- <b>${long('A comment')}</b> --><p>${long('A text')}</p>`,
  ])('recognizes an unsubscribe link after a comment, and adds a footer for one inside (%#)', (start) => {
    const link = '<a href="{{ unsubscribeUrl }}">stop</a>';
    for (const body of [start + link, start.replace(' -->', ` ${link} -->`)]) {
      const both = bothOf(body);
      if (both === undefined) throw new Error('does not compile');
      const rendered = renderInPieces(both.inPieces, optionsFor('MARKETING', {}));
      if (!rendered.ok) throw new Error(rendered.limit);
      expect(rendered.email.html.pieces.length).toBeGreaterThan(0);
      expect(wholeText(rendered.email.html).includes('<div')).toBe(body !== start + link);
      expect(renderEmail(both.inPieces, optionsFor('MARKETING', {}))).toEqual(
        renderEmail(both.whole, optionsFor('MARKETING', {})),
      );
    }
  });

  const page = `<html><body>
<p>${long('A first paragraph')}</p>  <p>Dear {{ name }},</p>
{% if plan == "pro" %}<p>thank you</p>{% else %}<p>have a look</p>{% endif %}
<p>${long('A second paragraph')}. See you in {{ city }}.</p><p>${long('The end')}</p></BODY></html>`;

  function render(body: string, data: JsonObject, brand?: EmailBrand) {
    const compiled = createEmailTemplates({ recipients: 'many' }).compile({ subject: 's', body });
    if (!compiled.ok) throw new Error(compiled.error.message);
    const rendered = renderInPieces(compiled.template, optionsFor('MARKETING', data, brand));
    if (!rendered.ok) throw new Error(rendered.part);
    return rendered.email;
  }

  it('leaves little but the differences between the pieces, footers included', () => {
    const { html, text } = render(page, { name: 'Ada', city: 'Bern\n\n\nWest' });
    expect(html.pieces.join('')).toMatch(/A first .* A second .*The end.*<div style/s);
    expect(text.pieces.join('')).toMatch(/A first .*A second /s);
    const between = gapsOf(html)
      .join('')
      .replaceAll(links.unsubscribeUrl, '')
      .replaceAll(links.manageUrl, '');
    expect(between.length).toBeLessThan(500);
    expect(wholeText(html)).toContain('The end that');
  });

  it('has a separate piece for each long address of a footer', () => {
    const addresses = [long('Acme'), long('Other')];
    const emails = addresses.map((footerAddress) => render(page, {}, { language: 'de', footerAddress }));
    for (const [index, { html, text }] of emails.entries()) {
      expect(html.pieces.at(-1)).toContain(addresses[index]);
      expect(text.pieces.at(-1)).toContain(addresses[index]);
      expect(html.pieces.join('')).not.toContain(addresses[1 - index]);
    }
  });

  it('shares the lists of pieces between all emails with the same language and footer', () => {
    const compiled = createEmailTemplates({ recipients: 'many' }).compile({ subject: 's', body: page });
    if (!compiled.ok) throw new Error(compiled.error.message);
    const piecesFor = (data: JsonObject) => {
      const rendered = renderInPieces(compiled.template, optionsFor('MARKETING', data));
      return rendered.ok ? [rendered.email.html.pieces, rendered.email.text.pieces] : [];
    };
    const [html, text] = piecesFor({ name: 'Ada' });
    const [html2, text2] = piecesFor({ name: 'Bob', plan: 'pro' });
    expect(html2).toBe(html);
    expect(text2).toBe(text);
    expect(piecesFor({ locale: 'de' })[0]).not.toBe(html);
  });

  it('has few pieces, however many literals there are', () => {
    expect(render(`<p>${long('Again')}</p>{{ x }}`.repeat(500), {}).html.pieces.length).toBeLessThan(110);
  });
});
