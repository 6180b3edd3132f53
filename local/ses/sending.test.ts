import { SendBulkEmailCommand, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import { emailTo, startTestSes } from './testing/test-ses.ts';

type Content = NonNullable<SendEmailCommandInput['Content']>;

const simple = (replaced: Partial<NonNullable<Content['Simple']>>): Content => ({
  Simple: { Subject: { Data: 'Subject' }, Body: { Text: { Data: 'text' } }, ...replaced },
});

const raw = (message: string): Content => ({ Raw: { Data: Buffer.from(message) } });

describe('SendEmail', () => {
  it('reads raw content for the inbox', async () => {
    const { client, list, restart, verify } = await startTestSes();
    await verify('example.test');
    const content = raw(
      [
        'From: =?UTF-8?B?w4Rk?= <hello@example.test>',
        'To: Ada <ada@example.test>',
        'Reply-To: help@example.test',
        'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= =?UTF-8?Q?_=E2=9C=93?=',
        'Message-ID: <1@example.test>',
        'Date: Thu, 01 Jan 1970 00:00:00 +0000',
        'X-Order: 42',
        'X-Note: one',
        ' =?UTF-8?Q?zw=C3=B6lf?=',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        '<p>=C3=A4</p>',
        '--b',
        'Content-Type: image/png',
        "Content-Disposition: inline; filename*=UTF-8''%C3%BC.png",
        'Content-ID: <logo>',
        'Content-Transfer-Encoding: base64',
        '',
        'AQID',
        '--b--',
      ].join('\r\n'),
    );
    const { MessageId: id } = await client.send(
      new SendEmailCommand(emailTo('ada@example.test', { Content: content })),
    );
    const expected = {
      id,
      emailId: '0199aaaa-0000-7000-8000-000000000001',
      from: 'Shop <hello@example.test>',
      to: ['ada@example.test'],
      replyTo: 'help@example.test',
      subject: 'Grüße ✓',
      html: expect.stringMatching(/^<p>ä<\/p>\s*$/),
      text: null,
      headers: {
        From: 'Shop <hello@example.test>',
        To: 'ada@example.test',
        'Reply-To': 'help@example.test',
        Subject: 'Grüße ✓',
        Date: expect.not.stringContaining('1970'),
        'Message-ID': `<${id}@email.amazonses.com>`,
        'MIME-Version': '1.0',
        'X-Order': '42',
        'X-Note': 'one zwölf',
      },
      attachments: [
        { filename: 'ü.png', contentType: 'image/png', contentId: 'logo', disposition: 'inline', size: 3 },
      ],
    };
    const { messages } = await list();
    expect(messages).toEqual([{ ...expected, receivedAt: expect.any(String) }]);
    const after = await restart();
    expect((await after.list()).messages).toEqual(messages);
  });

  it('stores all of a message and shows it in the inbox', async () => {
    const startedAt = Date.now();
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    const { MessageId: id } = await client.send(
      new SendEmailCommand({
        ...emailTo('ada@example.test'),
        FromEmailAddress: '=?UTF-8?B?w4Rk?= <hello@example.test>',
        ReplyToAddresses: ['help@example.test'],
        Content: {
          Simple: {
            Subject: { Data: 'Grüße ✓', Charset: 'UTF-8' },
            Body: { Html: { Data: '<p>ä ✓</p>' }, Text: { Data: 'ä ✓' } },
            Headers: [
              { Name: 'X-Order', Value: '42' },
              { Name: 'List-Unsubscribe', Value: '<https://example.test/u>' },
            ],
            Attachments: [
              {
                FileName: 'ünvoice.pdf',
                ContentType: 'application/pdf',
                RawContent: Buffer.from('%PDF-1.4'),
                ContentDisposition: 'ATTACHMENT',
              },
              {
                FileName: 'logo.png',
                ContentType: 'image/png',
                RawContent: Buffer.from([1, 2, 3]),
                ContentDisposition: 'INLINE',
                ContentId: 'logo',
              },
            ],
          },
        },
      }),
    );
    const { total, messages } = await list();
    expect(total).toBe(1);
    expect(messages[0]).toMatchObject({
      id,
      emailId: '0199aaaa-0000-7000-8000-000000000001',
      from: 'Äd <hello@example.test>',
      to: ['ada@example.test'],
      replyTo: 'help@example.test',
      subject: 'Grüße ✓',
      html: '<p>ä ✓</p>',
      text: 'ä ✓',
      attachments: [
        {
          filename: 'ünvoice.pdf',
          contentType: 'application/pdf',
          contentId: null,
          disposition: 'attachment',
          size: 8,
        },
        { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', disposition: 'inline', size: 3 },
      ],
    });
    expect(messages[0]?.headers).toMatchObject({
      'X-Order': '42',
      'List-Unsubscribe': '<https://example.test/u>',
      Subject: 'Grüße ✓',
      To: 'ada@example.test',
    });
    const receivedAt = Date.parse(messages[0]?.receivedAt ?? '');
    expect([startedAt <= receivedAt, receivedAt <= Date.now()]).toEqual([true, true]);
  });

  it('refuses a sender that is not verified, with the message of SES', async () => {
    const { client, list } = await startTestSes();
    await expect(client.send(new SendEmailCommand(emailTo('ada@example.test')))).rejects.toMatchObject({
      name: 'MessageRejected',
      message: expect.stringContaining('Email address is not verified.'),
      $metadata: { httpStatusCode: 400 },
    });
    expect((await list()).total).toBe(0);
  });

  it('lets subdomains of a verified domain send, and single verified addresses', async () => {
    const { client, verify } = await startTestSes();
    await verify('example.test');
    await verify('only@other.test');
    const from = (address: string) =>
      client.send(new SendEmailCommand(emailTo('ada@x.test', { FromEmailAddress: address })));
    await expect(from('a@news.example.test')).resolves.toBeDefined();
    await expect(from('Only <only@other.test>')).resolves.toBeDefined();
    await expect(from('else@other.test')).rejects.toMatchObject({ name: 'MessageRejected' });
    await expect(from('a@notexample.test')).rejects.toMatchObject({ name: 'MessageRejected' });
  });

  it.each<[string, Partial<SendEmailCommandInput>]>([
    ['a malformed recipient', { Destination: { ToAddresses: ['ada'] } }],
    ['no recipient', { Destination: { ToAddresses: [] } }],
    ['51 recipients', { Destination: { ToAddresses: Array.from({ length: 51 }, (_, n) => `a${n}@x.test`) } }],
    ['a line break in a recipient', { Destination: { ToAddresses: ['a@x.test\r\nBcc: b@x.test'] } }],
    ['a line break in the sender', { FromEmailAddress: 'A\r\nBcc: b@x.test <a@example.test>' }],
    ['a malformed reply-to', { ReplyToAddresses: ['nobody'] }],
    [
      'a line break in a header',
      { Content: simple({ Headers: [{ Name: 'X-A', Value: 'a\r\nBcc: b@x.test' }] }) },
    ],
    ['a header name with a colon', { Content: simple({ Headers: [{ Name: 'X-A:b', Value: 'a' }] }) }],
    ['UTF-8 in a header', { Content: simple({ Headers: [{ Name: 'X-A', Value: 'ä' }] }) }],
    ['a header that SES writes', { Content: simple({ Headers: [{ Name: 'Bcc', Value: 'b@x.test' }] }) }],
    [
      'a header beyond 870 characters',
      { Content: simple({ Headers: [{ Name: 'X', Value: 'a'.repeat(871) }] }) },
    ],
    ['an empty header', { Content: simple({ Headers: [{ Name: 'X', Value: '' }] }) }],
    [
      'a content id beyond 78 characters',
      {
        Content: simple({
          Attachments: [{ FileName: 'a.png', RawContent: Buffer.from('x'), ContentId: 'c'.repeat(79) }],
        }),
      },
    ],
    [
      'a content type beyond 78 characters',
      {
        Content: simple({
          Attachments: [
            { FileName: 'a', RawContent: Buffer.from('x'), ContentType: `text/${'x'.repeat(74)}` },
          ],
        }),
      },
    ],
    ['a line break in the subject', { Content: simple({ Subject: { Data: 'a\nBcc: b@x.test' } }) }],
    ['no body', { Content: simple({ Body: {} }) }],
    [
      'a line break in a file name',
      { Content: simple({ Attachments: [{ FileName: 'a\r\nX: y', RawContent: Buffer.from('x') }] }) },
    ],
    ['a malformed tag', { EmailTags: [{ Name: 'emailId', Value: 'a b' }] }],
    ['raw content without a body', { Content: raw('From: a@example.test\r\nSubject: x') }],
    ['raw content without a sender in its headers', { Content: raw('Subject: x\r\n\r\nx') }],
    [
      'raw content with a line beyond 998 characters',
      { Content: raw(`From: a@example.test\r\n\r\n${'x'.repeat(999)}`) },
    ],
    [
      'simple and raw content at once',
      { Content: { ...simple({}), ...raw('From: a@example.test\r\n\r\nx') } },
    ],
  ])('refuses %s', async (_case, replaced) => {
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    await expect(
      client.send(new SendEmailCommand(emailTo('ada@example.test', replaced))),
    ).rejects.toMatchObject({ name: 'BadRequestException', $metadata: { httpStatusCode: 400 } });
    expect((await list()).total).toBe(0);
  });

  it('refuses a configuration set that does not exist', async () => {
    const { client, verify } = await startTestSes();
    await verify('example.test');
    const email = emailTo('ada@example.test', { ConfigurationSetName: 'other' });
    await expect(client.send(new SendEmailCommand(email))).rejects.toMatchObject({
      name: 'NotFoundException',
    });
  });

  it('refuses invalid JSON and unknown calls', async () => {
    const { ses } = await startTestSes();
    const call = (method: string, path: string, body?: string) =>
      fetch(`${ses.url}${path}`, { method, ...(body !== undefined && { body }) });
    const malformed = await call('POST', '/v2/email/outbound-emails', '{');
    expect([malformed.status, malformed.headers.get('x-amzn-errortype')]).toEqual([
      400,
      'SerializationException',
    ]);
    const unknown = await call('GET', '/v2/email/dedicated-ips');
    expect([unknown.status, unknown.headers.get('x-amzn-errortype')]).toEqual([
      404,
      'UnknownOperationException',
    ]);
  });
});

describe('faults of the sending calls', () => {
  const send = (ses: Awaited<ReturnType<typeof startTestSes>>, to: string) =>
    ses.client.send(new SendEmailCommand(emailTo(to)));

  it('throttle and refuse without accepting anything', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    await test.control('PUT', '/api/faults', { throttleEvery: 2, failEvery: 3 });
    await send(test, 'one@x.test');
    await expect(send(test, 'two@x.test')).rejects.toMatchObject({
      name: 'TooManyRequestsException',
      $metadata: { httpStatusCode: 429 },
    });
    await expect(send(test, 'three@x.test')).rejects.toMatchObject({ name: 'MessageRejected' });
    expect((await test.list()).messages.map(({ to }) => to[0])).toEqual(['one@x.test']);
    expect((await test.control('GET', '/api/faults')).body).toEqual({
      latencyMs: 0,
      throttleEvery: 2,
      dropReplyEvery: 0,
      failEvery: 3,
    });
  });

  it('accept a call and cut its connection instead of responding', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    await test.control('PUT', '/api/faults', { dropReplyEvery: 1 });
    const error = await send(test, 'dropped@x.test').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('$metadata.httpStatusCode');
    expect((await test.list()).total).toBe(1);
    await test.control('PUT', '/api/faults', {});
    await send(test, 'answered@x.test');
    expect((await test.list()).total).toBe(2);
  });

  it('accept immediately and respond later', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    await test.control('PUT', '/api/faults', { latencyMs: 1_000 });
    await send(test, 'slow@x.test');
    const answeredAt = Date.now();
    const { messages } = await test.list();
    expect(messages).toHaveLength(1);
    // A timer may be a millisecond early.
    expect(answeredAt - Date.parse(messages[0]?.receivedAt ?? '')).toBeGreaterThanOrEqual(998);
  });

  it('count a bulk call once', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    await test.control('PUT', '/api/faults', { throttleEvery: 2 });
    const bulk = new SendBulkEmailCommand({
      FromEmailAddress: 'hello@example.test',
      DefaultContent: { Template: { TemplateContent: { Subject: 'x', Text: 'x' }, TemplateData: '{}' } },
      BulkEmailEntries: [1, 2, 3].map((n) => ({ Destination: { ToAddresses: [`a${n}@x.test`] } })),
    });
    await test.client.send(bulk);
    await expect(test.client.send(bulk)).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    expect((await test.list()).total).toBe(3);
  });

  it('refuse invalid settings', async () => {
    const { control } = await startTestSes();
    expect((await control('PUT', '/api/faults', { failEvery: -1 })).status).toBe(400);
    expect((await control('PUT', '/api/faults', { latencyMs: 'x' })).status).toBe(400);
  });
});
