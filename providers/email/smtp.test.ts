import { decodeWords } from 'postal-mime';
import { generate } from 'selfsigned';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { emailOf, exampleEmail, injections, invoiceAndLogo, namedEmail } from '../testing/example-email.ts';
import { startSmtpInbox } from '../testing/smtp-inbox.ts';
import { createSmtpProvider } from './smtp.ts';

const finished: (() => unknown)[] = [];
afterEach(async () => {
  for (const finish of finished.splice(0).reverse()) await finish();
});

async function start(options: SMTPServerOptions = {}, credentials = '', query = '') {
  const inbox = await startSmtpInbox(options);
  finished.push(() => inbox.close());
  const scheme = options.secure === true ? 'smtps' : 'smtp';
  const provider = createSmtpProvider(`${scheme}://${credentials}127.0.0.1:${inbox.port}${query}`);
  finished.push(() => provider.close());
  const newest = () => {
    const mail = inbox.mails.at(-1);
    if (mail === undefined) throw new Error('The inbox is empty');
    return mail;
  };
  return { inbox, provider, newest };
}

describe('handing emails over to an SMTP server', () => {
  it('hands over a whole email', async () => {
    const { provider, newest } = await start();
    const email = exampleEmail({
      to: { email: 'reader@mail.example', name: 'Robin Reader' },
      replyTo: 'help@shop.example',
      subject: 'Grüße 🦄',
      html: '<p>Grüße</p><img src="cid:logo@shop">',
      text: 'Grüße\r\n.\r\nfrom us',
      headers: {
        'X-Order': '42',
        'X-Note': 'Grüße',
        'List-Unsubscribe': `<https://shop.example/${'u'.repeat(400)}>`,
      },
      attachments: invoiceAndLogo('Rechnung März.pdf', [0, 255, 13, 10, 46, 13, 10, 0]),
    });
    const messageId = `${email.emailId}@shop.example`;
    expect(await provider.handOver(email)).toEqual({ outcome: 'accepted', messageId });

    const { parsed, ...envelope } = newest();
    expect(envelope).toMatchObject({ from: 'news@shop.example', to: ['reader@mail.example'] });
    expect(parsed).toMatchObject({
      messageId: `<${messageId}>`,
      from: { name: 'The Shop', address: 'news@shop.example' },
      to: [{ name: 'Robin Reader', address: 'reader@mail.example' }],
      replyTo: [{ address: 'help@shop.example' }],
      subject: 'Grüße 🦄',
    });
    expect(parsed.html?.trim()).toBe(email.html);
    expect(parsed.text?.trim()).toBe(email.text);
    const headers = new Map(parsed.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('x-order')).toBe('42');
    expect(decodeWords(headers.get('x-note') ?? '')).toBe('Grüße');
    expect(headers.get('list-unsubscribe')).toBe(email.headers['List-Unsubscribe']);
    expect(parsed.attachments).toMatchObject([
      {
        filename: 'logo.png',
        mimeType: 'image/png',
        disposition: 'inline',
        contentId: '<logo@shop>',
        related: true,
      },
      { filename: 'Rechnung März.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    ]);
    const [logo, invoice] = parsed.attachments.map(({ content }) =>
      Buffer.from(typeof content === 'string' ? content : new Uint8Array(content)),
    );
    expect(invoice).toEqual(Buffer.from([0, 255, 13, 10, 46, 13, 10, 0]));
    expect(logo).toEqual(Buffer.alloc(69_990, 7));
  });

  it.each([
    'Zoë & Söhne',
    'Acme, Inc.',
    'The "best" \\ shop',
    '🦄 Einhörner 🦄',
    "O'Neil (sales)",
    'a@b.example',
  ])('keeps the display name %s', async (name) => {
    const { provider, newest } = await start();
    expect(await provider.handOver(namedEmail(name))).toMatchObject({ outcome: 'accepted' });
    expect(newest().parsed).toMatchObject({
      from: { name, address: 'news@shop.example' },
      to: [{ name, address: 'reader@mail.example' }],
      subject: name,
    });
  });

  it.each(injections)('lets no header in through %j', async (text) => {
    const { provider, newest } = await start();
    const email = emailOf(text);
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const { to, parsed, raw } = newest();
    expect(to).toEqual(['reader@mail.example']);
    expect(parsed.to).toHaveLength(1);
    expect(parsed.bcc ?? []).toEqual([]);
    expect(raw).not.toMatch(/^bcc:/im);
    const names = parsed.headers.map(({ key }) => key).sort();
    expect(names).toEqual(
      ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to', 'x-note'].sort(),
    );
    const shown = parsed.headers.map(({ value }) => decodeWords(value));
    for (const value of [...shown, parsed.subject, parsed.from?.name, parsed.to?.[0]?.name]) {
      expect(value).not.toMatch(/[^\P{Cc}\t]/u);
    }
    expect(parsed.html?.trim()).toBe(email.html);
  });

  it('reads no file or URL in place of an attachment or text', async () => {
    const { provider, newest } = await start();
    const email = exampleEmail({
      html: '<img src="file:///etc/passwd"><img src="data:image/png;base64,AAAA">',
      attachments: [
        {
          filename: '/etc/passwd',
          contentType: 'text/plain',
          cid: null,
          disposition: 'attachment',
          bytes: Buffer.from('mine'),
        },
      ],
    });
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const { parsed } = newest();
    expect(parsed.html?.trim()).toBe(email.html);
    expect(parsed.attachments).toHaveLength(1);
    expect(parsed.attachments[0]?.content).toEqual(new TextEncoder().encode('mine').buffer);
  });

  it('keeps a header of 998 characters in lines of at most 998', async () => {
    const { provider, newest } = await start();
    const email = exampleEmail({ headers: { 'X-LONG': 'x'.repeat(998) } });
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const { parsed, raw } = newest();
    const header = parsed.headers.find(({ originalKey }) => originalKey === 'X-LONG');
    expect(decodeWords(header?.value ?? '')).toBe('x'.repeat(998));
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  it('keeps a subject of 998 characters in such lines, and one that looks encoded as it is', async () => {
    const { provider, newest } = await start();
    for (const subject of ['x'.repeat(998), '=?utf-8?q?Code?= for you', 'Grüße']) {
      expect(await provider.handOver(exampleEmail({ subject }))).toMatchObject({ outcome: 'accepted' });
      const { parsed, raw } = newest();
      expect(parsed.subject).toBe(subject);
      expect(raw).not.toMatch(/[^\r\n]{999}/);
    }
  });

  it('attaches an email that is not lines of ASCII as a file', async () => {
    const { provider, newest } = await start();
    const attach = async (content: string) => {
      const file = {
        filename: 'a.eml',
        contentType: 'message/rfc822',
        cid: null,
        disposition: 'attachment',
      } as const;
      const email = exampleEmail({ attachments: [{ ...file, bytes: Buffer.from(content) }] });
      expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
      return newest();
    };
    const plain = await attach('Subject: Hello\r\n\r\nHello');
    expect(plain.raw).toContain('Content-Type: message/rfc822');
    for (const content of [`Subject: Hi\r\n\r\n${'x'.repeat(999)}`, 'Subject: Hi\r\n\r\nGrüße']) {
      const { parsed, raw } = await attach(content);
      expect(raw).not.toMatch(/[^\r\n]{999}|[^\0-\x7f]/);
      expect(parsed.attachments).toMatchObject([{ filename: 'a.eml', mimeType: 'application/octet-stream' }]);
      expect(parsed.attachments[0]?.content).toEqual(new TextEncoder().encode(content).buffer);
    }
  });

  it('hands over an email without text as HTML only', async () => {
    const { provider, newest } = await start();
    expect(await provider.handOver(exampleEmail({ text: ' \n' }))).toMatchObject({ outcome: 'accepted' });
    expect(newest().raw).toMatch(/^Content-Type: text\/html/im);
  });

  it('keeps a few connections open', async () => {
    const { inbox, provider } = await start();
    const answers = await Promise.all(Array.from({ length: 60 }, () => provider.handOver(exampleEmail())));
    expect(answers.every((answer) => answer.outcome === 'accepted')).toBe(true);
    expect(inbox.mails).toHaveLength(60);
    expect(new Set(inbox.mails.map(({ parsed }) => parsed.messageId)).size).toBe(60);
    expect(inbox.connections).toBeLessThanOrEqual(8);
  });

  it('takes the options in the query of the address', async () => {
    const { inbox, provider } = await start({}, '', '?maxConnections=1');
    await Promise.all(Array.from({ length: 5 }, () => provider.handOver(exampleEmail())));
    expect(inbox.connections).toBe(1);
  });

  it('logs in, with a password that has to be escaped in a URL', async () => {
    let seen: unknown;
    const { provider, inbox } = await start(
      {
        authOptional: false,
        onAuth({ username, password }, _session, callback) {
          seen = { username, password };
          callback(null, { user: username });
        },
      },
      'shop%40example:p%2Fss%3Aw%40rd@',
    );
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(seen).toEqual({ username: 'shop@example', password: 'p/ss:w@rd' });
    expect(inbox.mails).toHaveLength(1);
  });

  it.each([
    ['STARTTLS when it is offered', { disabledCommands: [] }],
    ['TLS from the start', { secure: true }],
  ])('uses %s, and only with a certificate that holds', async (_what, options) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      keySize: 2048,
    });
    const lenient = await start({ ...options, key, cert }, '', '?tls.rejectUnauthorized=false');
    expect(await lenient.provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(lenient.newest().isSecure).toBe(true);
    const strict = await start({ ...options, key, cert });
    expect(await strict.provider.handOver(exampleEmail())).toMatchObject({ outcome: 'later' });
    expect(strict.inbox.mails).toEqual([]);
  });

  it('has no rate limit', async () => {
    const { provider } = await start();
    expect(await provider.grantedRatePerSecond()).toBeNull();
  });
});
