import { describe, expect, it } from 'vitest';
import { startTestSes } from '../../local/ses/testing/test-ses.ts';
import { emailOf, exampleEmail, injections, invoiceAndLogo, namedEmail } from '../testing/example-email.ts';
import { createSesProvider } from './ses.ts';
import { createSesAccountClient, createSesClient } from './ses-client.ts';

async function start(configurationSet = 'posthaste') {
  const local = await startTestSes({ maxSendRate: 14 });
  await local.verify('shop.example');
  const options = {
    region: 'us-east-1',
    endpoint: local.ses.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const provider = createSesProvider(
    createSesClient(options),
    createSesAccountClient(options),
    configurationSet,
  );
  const newest = async () => {
    const { messages } = await local.list('?limit=1');
    if (messages[0] === undefined) throw new Error('The inbox is empty');
    return messages[0];
  };
  return { local, provider, newest };
}

describe('handing emails over to SES', () => {
  it('hands over a whole email', async () => {
    const { provider, newest } = await start();
    const email = exampleEmail({
      to: { email: 'reader@mail.example', name: 'Robin Reader' },
      replyTo: 'help@shop.example',
      headers: { 'X-Order': '42', 'List-Unsubscribe': '<https://shop.example/u/abc>' },
      attachments: invoiceAndLogo('Rechnung März.pdf', [0, 255, 13, 10, 0]),
    });
    const answer = await provider.handOver(email);
    const message = await newest();
    expect(answer).toEqual({ outcome: 'accepted', messageId: message.id });
    expect(message).toMatchObject({
      emailId: email.emailId,
      from: 'The Shop <news@shop.example>',
      to: ['Robin Reader <reader@mail.example>'],
      replyTo: 'help@shop.example',
      subject: 'Your order',
      html: '<p>It is on its way.</p>',
      text: 'It is on its way.',
      headers: { 'X-Order': '42', 'List-Unsubscribe': '<https://shop.example/u/abc>' },
      attachments: [
        {
          filename: 'Rechnung März.pdf',
          contentType: 'application/pdf',
          contentId: null,
          disposition: 'attachment',
          size: 5,
        },
        {
          filename: 'logo.png',
          contentType: 'image/png',
          contentId: 'logo@shop',
          disposition: 'inline',
          size: 69_990,
        },
      ],
    });
  });

  it.each([
    'Zoë & Söhne',
    'Acme, Inc.',
    'The "best" \\ shop',
    '🦄 Einhörner 🦄',
    "O'Neil (sales)",
    'a@b.example',
    `${'ä'.repeat(70)} long`,
  ])('keeps the display name %s', async (name) => {
    const { provider, newest } = await start();
    expect(await provider.handOver(namedEmail(name))).toMatchObject({ outcome: 'accepted' });
    const message = await newest();
    const written = (address: string) => {
      const quoted = name.replace(/["\\]/g, '\\$&');
      return [`${name} <${address}>`, `"${quoted}" <${address}>`];
    };
    expect(written('news@shop.example')).toContain(message.from);
    expect(written('reader@mail.example')).toContain(message.to[0]);
    expect(message.subject).toBe(name);
  });

  it.each(injections)('lets no header in through %j', async (text) => {
    const { provider, newest } = await start();
    const email = emailOf(text);
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const message = await newest();
    expect(message.to).toHaveLength(1);
    expect(Object.keys(message.headers).map((name) => name.toLowerCase())).not.toContain('bcc');
    const { filename, contentType, contentId } = message.attachments[0] ?? {};
    for (const value of [message.subject, message.headers['X-Note'], filename, contentType, contentId]) {
      expect(value).not.toMatch(/\p{Cc}/u);
    }
    expect(message.html).toBe(email.html);
  });

  it('hands over an email without text as HTML only', async () => {
    const { provider, newest } = await start();
    expect(await provider.handOver(exampleEmail({ text: ' \n' }))).toMatchObject({ outcome: 'accepted' });
    expect(await newest()).toMatchObject({ text: null, html: '<p>It is on its way.</p>' });
  });

  it.each([
    ['unbroken', 'x'.repeat(998)],
    ['of words', `${'word '.repeat(199)}end`],
    ['in another script', 'ж'.repeat(998)],
    ['like an encoded word', `=?${'x'.repeat(996)}`],
  ])('hands a header of 998 characters over as raw MIME: %s', async (_kind, value) => {
    const { provider, newest } = await start();
    const email = exampleEmail({ headers: { [`X-${'Long'.repeat(31)}`]: value, 'X-Short': 'Grüße' } });
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const { emailId, headers } = await newest();
    expect(emailId).toBe(email.emailId);
    expect(headers).toMatchObject({ [`X-${'Long'.repeat(31)}`]: value, 'X-Short': 'Grüße' });
  });

  it('keeps everything of an email that goes as raw MIME', async () => {
    const { provider, newest } = await start();
    const email = exampleEmail({
      from: { email: 'news@shop.example', name: 'Zoë & Söhne, Inc.' },
      to: { email: 'reader@mail.example', name: 'Робин "R" Читатель' },
      replyTo: 'help@shop.example',
      subject: `Ihre Bestellung ✓ ${'lang '.repeat(60)}`.trim(),
      html: `<p>Grüße ✓</p><img src="cid:logo@shop">${'<!-- long -->'.repeat(100)}\r\n.\r\n</p>`,
      text: `Grüße ✓\r\n.\r\nFrom here${' on'.repeat(500)}`,
      headers: {
        'List-Unsubscribe': `<https://shop.example/u/${'t'.repeat(300)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'X-Empty': '',
        'X-Long': 'x'.repeat(900),
      },
      attachments: invoiceAndLogo('Rechnung März – №1.pdf', [0, 255, 13, 10, 0]),
    });
    const answer = await provider.handOver(email);
    const message = await newest();
    expect(answer).toEqual({ outcome: 'accepted', messageId: message.id });
    expect(message).toMatchObject({
      emailId: email.emailId,
      from: 'Zoë & Söhne, Inc. <news@shop.example>',
      to: ['Робин "R" Читатель <reader@mail.example>'],
      replyTo: 'help@shop.example',
      subject: email.subject,
      headers: {
        'List-Unsubscribe': email.headers['List-Unsubscribe'],
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'X-Long': 'x'.repeat(900),
      },
      attachments: [
        {
          filename: 'logo.png',
          contentType: 'image/png',
          contentId: 'logo@shop',
          disposition: 'inline',
          size: 69_990,
        },
        {
          filename: 'Rechnung März – №1.pdf',
          contentType: 'application/pdf',
          contentId: null,
          disposition: 'attachment',
          size: 5,
        },
      ],
    });
    expect(message.html?.trim()).toBe(email.html);
    expect(message.text?.trim()).toBe(email.text);
  });

  it.each(injections)('lets no header into raw MIME through %j', async (text) => {
    const { provider, newest } = await start();
    const email = emailOf(text, 'application/x-note', {
      'X-Long': `${text}${'x'.repeat(990 - text.length)}`,
    });
    expect(await provider.handOver(email)).toMatchObject({ outcome: 'accepted' });
    const message = await newest();
    expect(message.to).toHaveLength(1);
    expect(Object.keys(message.headers).map((name) => name.toLowerCase())).not.toContain('bcc');
    expect(message.html?.trim()).toBe(email.html);
    expect(message.attachments).toHaveLength(1);
  });

  it('refuses an email that cannot be built as MIME, because nothing of it has left', async () => {
    const { provider, local } = await start();
    const bytes = new Uint8Array(3);
    // Detaches the bytes.
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    const email = exampleEmail({
      headers: { 'X-Long': 'x'.repeat(998) },
      attachments: [{ filename: 'a', contentType: 'image/png', cid: null, disposition: 'attachment', bytes }],
    });
    expect(await provider.handOver(email)).toEqual({
      outcome: 'refused',
      reason: expect.stringMatching(/^TypeError: .*detached/),
    });
    expect((await local.list()).total).toBe(0);
  });

  it('says why SES refuses an email', async () => {
    const { provider } = await start();
    const stranger = exampleEmail({ from: { email: 'news@stranger.example', name: null } });
    expect(await provider.handOver(stranger)).toEqual({
      outcome: 'refused',
      reason: expect.stringMatching(/^MessageRejected: .*not verified.*news@stranger\.example/),
    });
  });

  it('tries later when the configuration set is missing', async () => {
    const { provider, local } = await start('missing');
    expect(await provider.handOver(exampleEmail())).toMatchObject({
      outcome: 'later',
      reason: expect.stringContaining('missing'),
    });
    expect((await local.list()).total).toBe(0);
  });

  it('reports the granted rate', async () => {
    const { provider } = await start();
    expect(await provider.grantedRatePerSecond()).toBe(14);
  });
});
