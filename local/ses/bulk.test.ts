import {
  type BulkEmailEntry,
  SendBulkEmailCommand,
  type SendBulkEmailCommandInput,
} from '@aws-sdk/client-sesv2';
import { describe, expect, it } from 'vitest';
import { startTestSes } from './testing/test-ses.ts';

const entry = (to: string, data: object, replaced: Partial<BulkEmailEntry> = {}): BulkEmailEntry => ({
  Destination: { ToAddresses: [to] },
  ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: JSON.stringify(data) } },
  ...replaced,
});

const bulk = (
  entries: BulkEmailEntry[],
  replaced: Partial<SendBulkEmailCommandInput> = {},
): SendBulkEmailCommand =>
  new SendBulkEmailCommand({
    FromEmailAddress: 'Shop <hello@example.test>',
    DefaultContent: {
      Template: {
        TemplateContent: { Subject: '{{subject}}', Html: '{{html}}', Text: '{{text}}' },
        TemplateData: JSON.stringify({ text: 'default text' }),
      },
    },
    DefaultEmailTags: [{ Name: 'projectId', Value: 'p1' }],
    BulkEmailEntries: entries,
    ConfigurationSetName: 'posthaste',
    ...replaced,
  });

describe('SendBulkEmail', () => {
  it('gives each entry its own content, unescaped, with tags and headers, and one result in order', async () => {
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    const answer = await client.send(
      bulk([
        entry(
          'ada@x.test',
          { subject: 'Hi "Ada" & co', html: '<p>{{text}} & <b>ä</b></p>', text: 'for Ada' },
          {
            ReplacementTags: [{ Name: 'emailId', Value: 'e1' }],
            ReplacementHeaders: [{ Name: 'List-Unsubscribe', Value: '<https://example.test/u/1>' }],
          },
        ),
        entry(
          'bob@x.test',
          { subject: 'Hi Bob', html: '<p>Bob</p>' },
          {
            ReplacementTags: [{ Name: 'emailId', Value: 'e2' }],
          },
        ),
      ]),
    );
    const { messages } = await list();
    expect(answer.BulkEmailEntryResults).toEqual([
      { Status: 'SUCCESS', MessageId: messages[1]?.id },
      { Status: 'SUCCESS', MessageId: messages[0]?.id },
    ]);
    expect(messages[1]).toMatchObject({
      emailId: 'e1',
      to: ['ada@x.test'],
      subject: 'Hi "Ada" & co',
      html: '<p>{{text}} & <b>ä</b></p>',
      text: 'for Ada',
      headers: { 'List-Unsubscribe': '<https://example.test/u/1>' },
    });
    expect(messages[0]).toMatchObject({ emailId: 'e2', html: '<p>Bob</p>', text: 'default text' });
    expect(messages[0]?.headers).not.toHaveProperty('List-Unsubscribe');
  });

  it('refuses the whole call for one malformed address, even next to broken data', async () => {
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    const good = entry('ada@x.test', { subject: 's', html: 'h' });
    await expect(
      client.send(bulk([good, entry('nobody', { subject: 's', html: 'h' })])),
    ).rejects.toMatchObject({
      name: 'BadRequestException',
    });
    await expect(client.send(bulk([good, entry('nobody', {})]))).rejects.toMatchObject({
      name: 'BadRequestException',
    });
    await expect(
      client.send(
        bulk([good, { ...good, ReplacementHeaders: [{ Name: 'X-A', Value: 'a\r\nBcc: b@x.test' }] }]),
      ),
    ).rejects.toMatchObject({ name: 'BadRequestException' });
    expect((await list()).total).toBe(0);
  });

  it('fails only the entry whose data does not fit the template', async () => {
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    const { BulkEmailEntryResults: results } = await client.send(
      bulk([
        entry('no-subject@x.test', { html: 'h' }),
        entry('header@x.test', { subject: 'a\r\nBcc: b@x.test', html: 'h' }),
        entry('good@x.test', { subject: 's', html: 'h' }),
        {
          ...entry('no-json@x.test', {}),
          ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{' } },
        },
      ]),
    );
    expect(results?.map(({ Status: status }) => status)).toEqual([
      'INVALID_PARAMETER',
      'INVALID_PARAMETER',
      'SUCCESS',
      'INVALID_PARAMETER',
    ]);
    expect(results?.[0]?.Error).toContain("'subject'");
    const { messages } = await list();
    expect(messages.map(({ to, subject }) => [to, subject])).toEqual([[['good@x.test'], 's']]);
  });

  it('takes 50 entries, 1 MB, and 262,144 characters of data each, and no more', async () => {
    const { client, list, verify } = await startTestSes();
    await verify('example.test');
    const entries = Array.from({ length: 51 }, (_, n) => entry(`a${n}@x.test`, { subject: 's', html: 'h' }));
    await expect(client.send(bulk(entries))).rejects.toMatchObject({ name: 'BadRequestException' });
    await expect(client.send(bulk([]))).rejects.toMatchObject({ name: 'BadRequestException' });
    const large = entry('large@x.test', { subject: 's', html: 'x'.repeat(1024 * 1024) });
    await expect(client.send(bulk([large]))).rejects.toMatchObject({ name: 'BadRequestException' });
    const long = entry('long@x.test', { subject: 's', html: 'x'.repeat(262_144) });
    await expect(client.send(bulk([long]))).rejects.toMatchObject({ name: 'BadRequestException' });
    await client.send(bulk(entries.slice(0, 50)));
    expect((await list()).total).toBe(50);
  });

  it('refuses a sender that is not verified and a template that does not exist', async () => {
    const { client, verify } = await startTestSes();
    const entries = [entry('ada@x.test', { subject: 's', html: 'h' })];
    await expect(client.send(bulk(entries))).rejects.toMatchObject({ name: 'MessageRejected' });
    await verify('example.test');
    await expect(
      client.send(bulk(entries, { DefaultContent: { Template: { TemplateName: 'welcome' } } })),
    ).rejects.toMatchObject({ name: 'NotFoundException' });
  });
});
