import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorableText } from '../json-value.ts';
import { mostAttachments, mostTextLength, parseEmail, sanitizeEmailHtml } from './parse-email.ts';
import { providerIdsOf, type ReceivedHeader, readReceivedHeaders } from './received-headers.ts';

const read = (headers: Record<string, string>, source = 'ada@example.com') =>
  readReceivedHeaders(
    Object.entries(headers).map(([name, value]) => ({ name, value })),
    source,
  );

describe('the headers of an email', () => {
  it('name the sender, the subject and the emails it answers', () => {
    const headers = read({
      From: '=?UTF-8?Q?=C3=84da?= <Ada@Example.com>, grace@example.com',
      Subject: 'Re: =?UTF-8?B?w6RiYw==?=',
      'Message-ID': '<one@mail.example>',
      'In-Reply-To': '<two@mail.example>',
      References: '<three@mail.example>\r\n <two@mail.example>',
    });
    expect(headers).toEqual({
      from: 'ada@example.com',
      fromName: 'Äda',
      subject: 'Re: äbc',
      messageId: 'one@mail.example',
      inReplyTo: 'two@mail.example',
      answers: ['two@mail.example', 'three@mail.example'],
      automatic: null,
    });
  });

  it.each([
    [{ 'Auto-Submitted': 'auto-replied' }, 'auto-submitted'],
    [{ 'Auto-Submitted': 'auto-generated; x=y' }, 'auto-submitted'],
    [{ 'Auto-Submitted': 'no' }, null],
    [{ 'X-Autoreply': 'yes' }, 'auto-submitted'],
    [{ Precedence: 'Bulk' }, 'bulk'],
    [{ Precedence: 'list' }, 'bulk'],
    [{ Precedence: 'first-class' }, null],
    [{ 'List-Unsubscribe': '<https://mail.example/u/1>' }, 'bulk'],
    [{ 'List-ID': 'News <news.mail.example>' }, 'bulk'],
    [{ 'Return-Path': '<>' }, 'bounce'],
    [{ 'Return-Path': '<ada@example.com>' }, null],
    [{ 'Content-Type': 'multipart/report; report-type=delivery-status' }, 'bounce'],
  ])('of %j make it %s', (headers, reason) => {
    expect(read({ From: 'ada@example.com', ...headers }).automatic).toBe(reason);
  });

  it.each(['', '<>', 'MAILER-DAEMON@example.com'])('do not count against an envelope from %j', (source) => {
    expect(read({ From: 'ada@example.com' }, source).automatic).toBe('bounce');
  });

  it.each([
    ['0100-abc@email.amazonses.com', ['0100-abc@email.amazonses.com', '0100-abc']],
    ['0102-abc@eu-west-1.amazonses.com', ['0102-abc@eu-west-1.amazonses.com', '0102-abc']],
    ['abc@amazonses.com.example', ['abc@amazonses.com.example']],
    ['abc@mail.example', ['abc@mail.example']],
  ])('the id %s is that of %j', (id, expected) => {
    expect(providerIdsOf(id)).toEqual(expected);
  });

  it('are read whatever they hold, into bounded texts that can be stored', () => {
    const name = fc.oneof(
      fc.constantFrom('From', 'Subject', 'Message-ID', 'References', 'In-Reply-To', 'Precedence'),
      fc.string(),
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      fc.string().map((text) => `<${text}>`),
      fc.string({ unit: 'binary' }).map((text) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`),
      fc.string().map((text) => `${text} <a@example.com>`),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ name, value })), fc.string(), (headers: ReceivedHeader[], source) => {
        const { from, fromName, subject, messageId, inReplyTo, answers } = readReceivedHeaders(
          headers,
          source,
        );
        for (const text of [from, fromName, subject, messageId, inReplyTo, ...answers]) {
          if (text === null) continue;
          expect(isStorableText(text)).toBe(true);
          expect(text.length).toBeLessThanOrEqual(998);
          expect(text).not.toMatch(/\p{Cc}/u);
        }
        expect(answers.length).toBeLessThanOrEqual(20);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the HTML of an email', () => {
  it.each([
    ['<p onclick="x()">Hi<script>x()</script></p>', '<p>Hi</p>'],
    ['<img src="javascript:x()" onerror="x()"><img src="cid:logo">', '<img /><img src="cid:logo" />'],
    ['<img src="data:text/html;base64,PHNjcmlwdD4=">', '<img />'],
    ['<svg onload="x()"><style>*{}</style><iframe src="https://x.io"></iframe>', ''],
    ['<form action="https://x.io"><input name="a"><button>b</button></form>', 'b'],
    ['<p style="background:url(https://x.io)">a</p>', '<p>a</p>'],
    ['<meta http-equiv="refresh" content="0;url=https://x.io"><base href="https://x.io">a', 'a'],
    ['<math><mi//xlink:href="data:x,<script>alert(4)</script>">', ''],
  ])('%s is left as %s', (html, expected) => {
    expect(sanitizeEmailHtml(html)).toBe(expected);
  });

  it.each([
    'javascript:x()',
    'JaVa\tScript:x()',
    '&#106;avascript:x()',
    'vbscript:x',
    'data:text/html,x',
    '//x.io',
  ])('has no link to %s', (href) => {
    expect(sanitizeEmailHtml(`<a href="${href}">a</a>`)).toBe(
      '<a rel="noopener noreferrer nofollow" target="_blank">a</a>',
    );
  });

  it('holds nothing that acts, whatever came in', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<script>',
        '</script>',
        '<img ',
        'onerror=',
        '<svg/onload=',
        'javascript:',
        '"',
        "'",
        '>',
      ),
      fc.constantFrom(
        '<a href=',
        '<style>',
        '<!--',
        '-->',
        '<![CDATA[',
        '<iframe ',
        '&lt;',
        '<p ',
        '\0',
        '\ud800',
      ),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = sanitizeEmailHtml(pieces.join(''));
        expect(html).not.toMatch(/<(?:script|style|iframe|svg|form|object|embed|link|meta|base)\b/i);
        expect(html).not.toMatch(/<[^>]*\son\w+\s*=/i);
        expect(html).not.toMatch(/(?:href|src)="?\s*(?:javascript|vbscript|data):/i);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('an email', () => {
  const parse = (text: string) => parseEmail(Buffer.from(text));

  it('is text, HTML and attachments by name and size', async () => {
    const parsed = await parse(
      [
        'From: ada@example.com',
        'Content-Type: multipart/mixed; boundary=m',
        '',
        '--m',
        'Content-Type: multipart/alternative; boundary=a',
        '',
        '--a',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Caf=E9',
        '--a',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<b>Café</b><script>x()</script>',
        '--a--',
        '--m',
        'Content-Type: application/pdf',
        'Content-Disposition: attachment; filename="=?UTF-8?Q?caf=C3=A9.pdf?="',
        'Content-Transfer-Encoding: base64',
        '',
        'QUJDREU=',
        '--m--',
      ].join('\r\n'),
    );
    expect(parsed.content).toEqual({
      text: 'Café',
      html: '<b>Café</b>',
      attachments: [{ filename: 'café.pdf', contentType: 'application/pdf', size: 5 }],
    });
  });

  it('is truncated where it is too long', async () => {
    const parts = '--m\r\nContent-Type: image/png\r\n\r\nx\r\n'.repeat(mostAttachments + 50);
    const parsed = await parse(`Content-Type: multipart/mixed; boundary=m\r\n\r\n${parts}--m--`);
    expect(parsed.content?.attachments).toHaveLength(mostAttachments);
    const long = await parse(`From: a@example.com\r\n\r\n${'x'.repeat(mostTextLength + 10)}`);
    expect(long.content?.text).toHaveLength(mostTextLength);
  });

  it('is read or refused, whatever it holds', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'Content-Type: multipart/mixed; boundary=m',
        'Content-Type: multipart/alternative; boundary="m"',
        'Content-Type: message/rfc822',
        'Content-Type: text/html; charset=utf-7',
        'Content-Transfer-Encoding: base64',
        'Content-Transfer-Encoding: quoted-printable',
        'Content-Disposition: attachment; filename*0=a; filename*1*=%00%ff',
        'Subject: =?UTF-8?B?AA==?=',
        '--m',
        '--m--',
        '',
        '=00=ff',
      ),
      fc.string({ unit: 'binary', maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
        const parsed = await parse(lines.join('\r\n')).catch((error) => {
          expect(error).toBeInstanceOf(Error);
          return undefined;
        });
        if (parsed?.content == null) return;
        const { text, html, attachments } = parsed.content;
        for (const kept of [text, html, ...attachments.map(({ filename }) => filename)]) {
          if (kept !== null) expect(isStorableText(kept)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
