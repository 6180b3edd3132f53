import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentType } from '../content-types.ts';
import { defaultEmailBrand } from '../email-brand.ts';
import type { JsonObject, JsonValue } from '../json-value.ts';
import { messages } from '../messages/messages.ts';
import { type RenderEmailOptions, renderEmail } from './email-document.ts';
import { createEmailTemplates, type EmailSource } from './email-template.ts';
import { buildVariables } from './variables.ts';

const links = {
  unsubscribeUrl: 'https://mail.x.io/unsubscribe/abc?a=1&b=2',
  subscribeUrl: 'https://mail.x.io/subscribe/abc',
  manageUrl: 'https://mail.x.io/manage/abc',
  viewUrl: 'https://mail.x.io/view/abc',
};

function options(
  type: ContentType,
  data: JsonObject = {},
  more: Partial<RenderEmailOptions> = {},
): RenderEmailOptions {
  const contact = { id: 'c1', email: 'ada@x.io', subscribed: true, data };
  return {
    type,
    variables: buildVariables({ contact, links }),
    links,
    brand: defaultEmailBrand,
    now: new Date(0),
    ...more,
  };
}

function render(source: Partial<EmailSource>, from: RenderEmailOptions, recipients: 'one' | 'many' = 'one') {
  const compiled = createEmailTemplates({ recipients }).compile({
    subject: 's',
    body: '<p>b</p>',
    ...source,
  });
  if (!compiled.ok) throw new Error(compiled.error.message);
  const rendered = renderEmail(compiled.template, from);
  if (!rendered.ok) throw new Error(`${rendered.part}: ${rendered.limit}`);
  return rendered.email;
}

describe('renderEmail', () => {
  it('renders subject, HTML and text, each escaped as needed', () => {
    const source = {
      subject: 'Hi {{ name }} ',
      body: '<p>Dear {{ name }}, <a href="https://x.io/{{ name }}">see</a></p>',
    };
    for (const recipients of ['one', 'many'] as const) {
      expect(render(source, options('TRANSACTIONAL', { name: 'A&B' }), recipients)).toEqual({
        subject: 'Hi A&B',
        html: '<p>Dear A&amp;B, <a href="https://x.io/A&amp;B">see</a></p>',
        text: 'Dear A&B, see [https://x.io/A&B]',
        headers: {},
      });
    }
  });

  it('makes the subject one line of at most 998 characters', () => {
    const injected = render(
      { subject: '{{ x }}' },
      options('TRANSACTIONAL', { x: 'Hi\r\nBcc: eve@x.io\n\nbody' }),
    );
    expect(injected.subject).toBe('Hi Bcc: eve@x.io body');
    expect(
      render({ subject: '{{ x }}' }, options('TRANSACTIONAL', { x: 'x'.repeat(2000) })).subject,
    ).toHaveLength(998);
  });

  it('gives every type its headers', () => {
    const oneClick = {
      'List-Unsubscribe': '<https://mail.x.io/unsubscribe/abc?a=1&b=2>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    expect(render({}, options('TRANSACTIONAL')).headers).toEqual({});
    expect(render({}, options('HEADLESS')).headers).toEqual(oneClick);
    expect(render({}, options('MARKETING')).headers).toEqual({ ...oneClick, Precedence: 'bulk' });
  });

  it('keeps the headers of the request except those that it sets itself', () => {
    const headers = { 'X-Order': '1\r\nBcc: eve@x.io', 'list-unsubscribe': '<mailto:x>', From: 'eve@x.io' };
    expect(render({}, options('TRANSACTIONAL', {}, { headers })).headers).toEqual({
      'X-Order': '1 Bcc: eve@x.io',
      'list-unsubscribe': '<mailto:x>',
    });
    const marketing = render({}, options('HEADLESS', {}, { headers })).headers;
    expect(Object.keys(marketing)).toEqual(['X-Order', 'List-Unsubscribe', 'List-Unsubscribe-Post']);
  });

  it('puts the footer into marketing emails only', () => {
    expect(render({}, options('TRANSACTIONAL'))).toMatchObject({ html: '<p>b</p>', text: 'b' });
    expect(render({}, options('HEADLESS'))).toMatchObject({ html: '<p>b</p>', text: 'b' });
    const marketing = render({}, options('MARKETING'));
    expect(marketing.html).toMatch(
      /^<p>b<\/p><div .*<a ses:no-track href="https:\/\/mail\.x\.io\/unsubscribe\/abc\?a=1&amp;b=2".*>Unsubscribe<\/a>.*<\/div>$/,
    );
    expect(marketing.text).toBe(
      'b\n\n-- \nYou receive this email because you subscribed to it.\nUnsubscribe: https://mail.x.io/unsubscribe/abc?a=1&b=2\nChange your preferences: https://mail.x.io/manage/abc',
    );
  });

  it('adds the postal address of the project to the footer, as text', () => {
    const footerAddress = 'Acme <b>GmbH</b>\n</div><script>alert(1)</script>\n10115 "Berlin"';
    const brand = { language: 'de', footerAddress } as const;
    const { html, text } = render({}, options('MARKETING', {}, { brand }));
    expect(html).toMatch(
      /Einstellungen ändern<\/a><br><br>Acme &lt;b&gt;GmbH&lt;\/b&gt;<br>&lt;\/div&gt;&lt;script&gt;.*<br>10115 &quot;Berlin&quot;<\/div>$/,
    );
    expect(text).toMatch(/Einstellungen ändern: https:\/\/mail\.x\.io\/manage\/abc\n\nAcme <b>GmbH/);
    expect(text.endsWith(footerAddress)).toBe(true);
    for (const type of ['TRANSACTIONAL', 'HEADLESS'] as const) {
      expect(render({}, options(type, {}, { brand }))).toMatchObject({ html: '<p>b</p>', text: 'b' });
    }
  });

  it('writes the footer in the language of the project for contacts without their own', () => {
    const brand = { language: 'nl', footerAddress: null } as const;
    const words = (locale: JsonValue) => render({}, options('MARKETING', { locale }, { brand })).html;
    expect(words(null)).toContain('>Afmelden</a>');
    expect(words('tlh')).toContain('>Afmelden</a>');
    expect(words('en')).toContain('>Unsubscribe</a>');
  });

  it('keeps the footer left-to-right in a right-to-left email', () => {
    const { html } = render({ body: '<body dir="rtl">שלום</body>' }, options('MARKETING'));
    expect(html).toMatch(/^<body dir="rtl">שלום<div [^>]* dir="ltr">.*<\/div><\/body>$/);
  });

  it('writes the footer in the language of the contact', () => {
    const german = render({}, options('MARKETING', { locale: 'de-AT' }));
    expect(german.html).toContain('>Abmelden</a>');
    expect(german.text).toContain('Abmelden: https://');
    expect(render({}, options('MARKETING', { locale: 'ja' })).html).toContain('>Unsubscribe</a>');
  });

  it.each([
    ['de', 'de'],
    ['en-GB', 'en'],
    ['es_MX', 'es'],
    ['fr-CA', 'fr'],
    ['IT', 'it'],
    ['nl-BE', 'nl'],
    ['pl-PL', 'pl'],
    ['pt_BR', 'pt'],
    ['tlh', 'en'],
    [{ de: true }, 'en'],
    [12, 'en'],
    [null, 'en'],
  ] as const)('reads locale %j as %s, and lets templates compare it', (locale, language) => {
    const body = '<p>{% if locale == "fr-CA" %}Bonjour{% else %}Hello{% endif %}</p>';
    const email = render({ body }, options('MARKETING', { locale }));
    const words = messages[language];
    expect(email.html).toContain(`>${words['footer.unsubscribe']}</a> · `);
    expect(email.text).toContain(`${words['footer.preferences']}: ${links.manageUrl}`);
    expect(email.text).toMatch(locale === 'fr-CA' ? /^Bonjour/ : /^Hello/);
  });

  it.each([
    ['<body><p>b</p></body></html>', /<\/p><div .*<\/div><\/body><\/html>$/],
    ['<BODY>b</BODY>', /b<div .*<\/div><\/BODY>$/],
    ['<html>b</html>', /b<div .*<\/div><\/html>$/],
    ['<body>b</body><!-- </body> exported -->', /b<div .*<\/div><\/body><!-- <\/body> exported -->$/],
    ['<body>b</body><!--[if mso]></body><![endif]-->', /b<div .*<\/div><\/body><!--/],
    ['<body>b</body><!-- {{ city }} </body> -->', /b<div .*<\/div><\/body><!--/],
  ])('puts the footer inside the body: %s', (body, expected) => {
    expect(render({ body }, options('MARKETING')).html).toMatch(expected);
  });

  it.each([
    ['<a href="{{ unsubscribeUrl }}">Out</a>', false],
    ["<a class='x' HREF = '{{ unsubscribeUrl }}'>Out</a>", false],
    ['<a href={{ unsubscribeUrl }}>Out</a>', false],
    ['<a href="{{ unsubscribeUrl | raw }}">Out</a>', false],
    ['<a href="{{ manageUrl }}">Settings</a>', true],
    ['<a title="Out" href="{{ unsubscribeUrl }}">Out</a>', false],
    ['<!--[if !mso]><!--><a href="{{ unsubscribeUrl }}">Out</a><!--<![endif]-->', false],
    ['<!--> <a href="{{ unsubscribeUrl }}">Out</a> <!-- -->', false],
    ['<!-- {{ unsubscribeUrl }} -->', true],
    ['<!-- <a href="{{ unsubscribeUrl }}">Out</a> -->', true],
    ['<!--[if mso]><v:roundrect href="{{ unsubscribeUrl }}">Out</v:roundrect><![endif]-->', true],
    ['<!-- {{ manageUrl }} --><!-- <a href="{{ unsubscribeUrl }}">Out</a> -->', true],
    ['<link rel="help" href="{{ unsubscribeUrl }}">', true],
    ['<a data-href="{{ unsubscribeUrl }}">Out</a>', true],
    ['<div href="{{ unsubscribeUrl }}">Out</div>', true],
    ['{{ unsubscribeUrl }}', true],
    ['<a href="https://evil.x.io/?{{ unsubscribeUrl }}">Out</a>', true],
  ])('adds no second unsubscribe link: %s has a footer: %s', (body, hasFooter) => {
    expect(render({ body }, options('MARKETING')).html.includes('>Unsubscribe</a>')).toBe(hasFooter);
  });

  it('shows the address once in the text', () => {
    const body = '<p>Bye: <a href="{{ unsubscribeUrl }}">out</a></p>';
    expect(render({ body }, options('MARKETING')).text).toBe(
      'Bye: out [https://mail.x.io/unsubscribe/abc?a=1&b=2]',
    );
  });

  it('lets nothing through that mail systems refuse', () => {
    const email = render(
      { body: '<p>{{ "a\\u0000b" }}{{ "\\ud800" }}</p>' },
      options('TRANSACTIONAL'),
      'many',
    );
    expect(email).toMatchObject({ html: '<p>ab\ufffd</p>', text: 'ab\ufffd' });
  });

  it('names the part that exceeds a limit', () => {
    const endless = '{% for i in (1..99999) %}{% for j in (1..99999) %}x{% endfor %}{% endfor %}';
    const templates = createEmailTemplates({ recipients: 'many' });
    const failureOf = (source: EmailSource) => {
      const compiled = templates.compile(source);
      return compiled.ok ? renderEmail(compiled.template, options('TRANSACTIONAL')) : compiled;
    };
    expect(failureOf({ subject: endless, body: 'b' })).toMatchObject({ ok: false, part: 'subject' });
    expect(failureOf({ subject: 's', body: endless })).toMatchObject({ ok: false, part: 'html' });
    expect(failureOf({ subject: 's', body: '{{' })).toMatchObject({
      ok: false,
      error: { field: 'body', line: 1, column: 1 },
    });
    expect(failureOf({ subject: 'a\n{{', body: '{{' })).toMatchObject({
      error: { field: 'subject', line: 2 },
    });
  });

  it('is safe in headers and never fails, whatever the data', () => {
    const templates = createEmailTemplates({ recipients: 'many' });
    const source = {
      subject: '{{ a }} {{ b.c ?? a }}{% for x in a %}{{ x | upcase | date: a }}{% endfor %}',
      body: '<p title="{{ a }}">{{ a }} {{ b }} {% if a > 3 %}{{ b | sort | first }}{% endif %}{{ a | plus: b | round: a }}</p>',
    };
    const compiled = templates.compile(source);
    if (!compiled.ok) throw new Error(compiled.error.message);
    const any = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(any, any, any, (a, b, locale) => {
        const data: JsonObject = JSON.parse(JSON.stringify({ a, b, locale }));
        const rendered = renderEmail(compiled.template, options('MARKETING', data));
        if (!rendered.ok) throw new Error(rendered.limit);
        expect(rendered.email.subject).not.toMatch(/\p{Cc}/u);
        for (const value of Object.values(rendered.email.headers)) expect(value).not.toMatch(/\p{Cc}/u);
        expect(rendered.email.html).not.toMatch(/\0|<script/);
        expect(rendered.email.html.match(/<p title="[^"<>]*">[^<>]*<\/p><div /)).not.toBeNull();
        expect(rendered.email.text).toContain(links.unsubscribeUrl);
      }),
      { numRuns: 500 },
    );
  });
});

describe('email templates', () => {
  it('convert the HTML of the first recipients and make a text template for those who follow', () => {
    const templates = createEmailTemplates();
    const compile = () => {
      const compiled = templates.compile({ subject: 's', body: '<p>{{ name }}</p>' });
      return compiled.ok ? compiled.template : undefined;
    };
    const first = compile();
    expect(first?.text).toBeUndefined();
    expect(compile()?.text).toBeUndefined();
    const third = compile();
    expect(third?.text).toBeDefined();
    expect(third?.html).toBe(first?.html);
    expect(compile()?.text).toBe(third?.text);
  });

  it('show the address of a link within a value to those who follow, too', () => {
    const templates = createEmailTemplates();
    const texts = Array.from({ length: 3 }, () => {
      const compiled = templates.compile({ subject: 's', body: '<p>Hi</p>{{ x | raw }}' });
      if (!compiled.ok) throw new Error(compiled.error.message);
      const x = '<a href="https://x.io/reset?t=abc">Reset</a>';
      const rendered = renderEmail(compiled.template, options('TRANSACTIONAL', { x }));
      return rendered.ok ? rendered.email.text.replace(/\s+/, ' ') : rendered.limit;
    });
    expect(texts).toEqual(Array(3).fill('Hi Reset [https://x.io/reset?t=abc]'));
  });

  it('always convert when the tags would not survive', () => {
    const templates = createEmailTemplates({ recipients: 'many' });
    const compiled = templates.compile({ subject: 's', body: '<!-- {% assign x = "y" %} -->{{ x }}' });
    if (!compiled.ok) throw new Error(compiled.error.message);
    expect(compiled.template.text).toBeUndefined();
    expect(renderEmail(compiled.template, options('TRANSACTIONAL'))).toMatchObject({ email: { text: 'y' } });
  });
});
