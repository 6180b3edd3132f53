import { get } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emailTo, startTestSes, type TestSes } from './testing/test-ses.ts';
import { startWebhookReceiver } from './testing/webhook-receiver.ts';

async function startWithMail(...addresses: string[]): Promise<TestSes & { ids: string[] }> {
  const test = await startTestSes();
  await test.verify('example.test');
  const ids: string[] = [];
  for (const address of addresses) {
    const { MessageId: id } = await test.client.send(new SendEmailCommand(emailTo(address)));
    ids.push(id ?? '');
  }
  return { ...test, ids };
}

const page = async (test: TestSes, path: string) => {
  const response = await fetch(test.ses.url + path);
  return { status: response.status, headers: response.headers, body: await response.text() };
};

describe('inbox API', () => {
  it('lists newest first, filtered and limited, and counts all matches', async () => {
    const { list } = await startWithMail('ada@x.test', 'bob@x.test', 'adam@x.test');
    expect((await list()).messages.map(({ to }) => to[0])).toEqual([
      'adam@x.test',
      'bob@x.test',
      'ada@x.test',
    ]);
    const filtered = await list('?to=ADA&limit=1');
    expect([filtered.total, filtered.messages.map(({ to }) => to[0])]).toEqual([2, ['adam@x.test']]);
    expect((await list('?subject=order&to=bob')).total).toBe(1);
    expect(await list('?subject=none')).toEqual({ total: 0, messages: [] });
    expect((await list('?limit=0')).messages).toEqual([]);
  });

  it('answers with at most 50 messages unless asked for more, and with any number when asked', async () => {
    const { list } = await startWithMail(...Array.from({ length: 120 }, (_, n) => `a${n}@x.test`));
    expect((await list()).messages).toHaveLength(50);
    const all = await list('?limit=100000');
    expect(all.messages.map(({ to }) => to[0])).toEqual(
      Array.from({ length: 120 }, (_, n) => `a${119 - n}@x.test`),
    );
  });

  it('shows one message, and deletes all messages', async () => {
    const test = await startWithMail('ada@x.test');
    const path = `/api/messages/${test.ids[0]}`;
    expect((await test.control('GET', path)).body).toMatchObject({ id: test.ids[0], to: ['ada@x.test'] });
    expect((await test.control('DELETE', '/api/messages')).status).toBe(204);
    expect((await test.control('GET', path)).status).toBe(404);
    expect((await test.list()).total).toBe(0);
    await test.client.send(new SendEmailCommand(emailTo('new@x.test')));
    const again = await test.restart();
    expect((await again.list()).messages.map(({ to }) => to[0])).toEqual(['new@x.test']);
  });

  it('refuses malformed parameters and unknown paths', async () => {
    const { control } = await startTestSes();
    expect((await control('GET', '/api/messages?limit=x')).status).toBe(400);
    expect((await control('GET', '/api/nothing')).status).toBe(404);
    expect((await control('GET', '/health')).body).toEqual({ status: 'ok', messages: 0 });
  });

  it('refuses other web sites', async () => {
    const { ses, control } = await startWithMail('ada@x.test');
    const from = (headers: Record<string, string>) =>
      fetch(`${ses.url}/api/messages`, { method: 'DELETE', headers }).then(({ status }) => status);
    expect(await from({ origin: 'https://evil.test' })).toBe(403);
    expect(await from({ origin: 'null' })).toBe(403);
    expect((await control('GET', '/api/messages')).body).toMatchObject({ total: 1 });
    expect(await statusForHost(ses.port, 'evil.test')).toBe(403);
    expect(await statusForHost(ses.port, `localhost:${ses.port}`)).toBe(200);
    expect(await from({ origin: ses.url })).toBe(204);
  });
});

describe('inbox page', () => {
  const hostile = '<script>alert(1)</script>';

  it('lists messages with everything escaped, and works without scripts of others', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    await test.client.send(
      new SendEmailCommand(
        emailTo('ada@x.test', {
          Content: { Simple: { Subject: { Data: hostile }, Body: { Text: { Data: hostile } } } },
        }),
      ),
    );
    const { body, headers } = await page(test, '/');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body).not.toContain(hostile);
    expect(body).toContain('ada@x.test');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    const filtered = await page(test, `/?to=${encodeURIComponent('"><b>')}`);
    expect(filtered.body).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(filtered.body).toContain('No message matches');
    expect((await page(test, '/assets/inbox.css')).status).toBe(200);
    expect((await page(test, '/assets/inbox.js')).status).toBe(200);
  });

  it('shows a message; its HTML only in a sandboxed frame with its inline images', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    const { MessageId: id } = await test.client.send(
      new SendEmailCommand(
        emailTo('ada@x.test', {
          Content: {
            Simple: {
              Subject: { Data: 'Hello' },
              Body: { Html: { Data: `<img src="cid:logo">${hostile}` } },
              Headers: [{ Name: 'X-Order', Value: '<42>' }],
              Attachments: [
                {
                  FileName: 'lögo.svg',
                  ContentId: '<logo>',
                  ContentDisposition: 'INLINE',
                  ContentType: 'image/svg+xml; charset=x',
                  RawContent: Buffer.from('<svg/>'),
                },
              ],
            },
          },
        }),
      ),
    );
    const { body } = await page(test, `/messages/${id}`);
    expect(body).toContain(
      `sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/${id}/html"`,
    );
    expect(body).toContain('&lt;42&gt;');
    expect(body).not.toContain(hostile);
    const html = await page(test, `/messages/${id}/html`);
    expect(html.body).toContain(`<img src="/messages/${id}/attachments/0">`);
    expect(html.headers.get('content-security-policy')).toMatch(/^sandbox [^;]*; default-src 'none'/);
    const attachment = await page(test, `/messages/${id}/attachments/0`);
    expect(attachment.body).toBe('<svg/>');
    expect(attachment.headers.get('content-type')).toBe('image/svg+xml');
    expect(attachment.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''l%C3%B6go.svg");
    expect((await page(test, `/messages/${id}/attachments/1`)).status).toBe(404);
    expect((await page(test, '/messages/none')).status).toBe(404);
  });

  it('has buttons that make the provider report an event', async () => {
    const receiver = await startWebhookReceiver({ confirm: true });
    onTestFinished(receiver.close);
    const test = await startTestSes({ webhookUrl: receiver.url });
    await test.verify('example.test');
    const { MessageId: id } = await test.client.send(new SendEmailCommand(emailTo('ada@x.test')));
    const post = (path: string, body?: URLSearchParams) =>
      fetch(test.ses.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: test.ses.url },
        ...(body !== undefined && { body }),
      });
    const pressed = await post(`/api/messages/${id}/events`, new URLSearchParams({ type: 'complaint' }));
    expect([pressed.status, pressed.headers.get('location')]).toEqual([
      303,
      `/messages/${id}?event=complaint`,
    ]);
    await receiver.until((events) => events.some(({ eventType }) => eventType === 'Complaint'));
    expect((await page(test, `/messages/${id}?event=complaint`)).body).toContain(
      'The provider reports: complaint',
    );
    const linked = {
      Simple: { Subject: { Data: '' }, Body: { Html: { Data: '<a href="https://x.test">x</a>' } } },
    };
    const { MessageId: other } = await test.client.send(
      new SendEmailCommand(emailTo('ada@x.test', { Content: linked })),
    );
    expect((await page(test, `/messages/${other}`)).body).toContain('value="click"');
    expect((await page(test, `/messages/${id}`)).body).not.toContain('value="click"');
    expect((await post('/clear', new URLSearchParams())).status).toBe(303);
    expect((await page(test, '/')).body).toContain('No messages yet');
  });
});

describe('a large inbox', () => {
  it('holds the content of 10,000 messages on disk and not in memory', async () => {
    const test = await startTestSes();
    await test.verify('example.test');
    const before = await usedHeapBytes();
    const html = 'x'.repeat(5_000);
    for (let call = 0; call < 200; call += 1) {
      const response = await fetch(`${test.ses.url}/v2/email/outbound-bulk-emails`, {
        method: 'POST',
        body: JSON.stringify({
          FromEmailAddress: 'hello@example.test',
          ConfigurationSetName: 'posthaste',
          DefaultContent: { Template: { TemplateContent: { Subject: '{{s}}', Html: '{{h}}' } } },
          BulkEmailEntries: Array.from({ length: 50 }, (_, entry) => ({
            Destination: { ToAddresses: [`a${call}-${entry}@x.test`] },
            ReplacementEmailContent: {
              ReplacementTemplate: {
                ReplacementTemplateData: JSON.stringify({ s: `Message ${call}-${entry}`, h: html }),
              },
            },
          })),
        }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    // 50 MB of HTML went through; an index entry is a few hundred bytes.
    expect(((await usedHeapBytes()) - before) / 10_000).toBeLessThan(1_500);
    const { total, messages } = await test.list('?subject=message%20123-45');
    expect([total, messages[0]?.to, messages[0]?.html?.length]).toEqual([1, ['a123-45@x.test'], 5_000]);
  });
});

/** As a browser asks after another site has pointed its own name at this address. */
function statusForHost(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/messages', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

async function usedHeapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  // Several rounds: what ends with a request is released a few turns of the event loop later.
  for (let round = 0; round < 5; round += 1) {
    runInNewContext('gc')();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
