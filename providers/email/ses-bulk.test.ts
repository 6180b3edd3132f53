import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { wholeText } from '../../core/rendering/pieced-text.ts';
import { startTestSes } from '../../local/ses/testing/test-ses.ts';
import { exampleEmail } from '../testing/example-email.ts';
import { type SeenRequest, startHttpServer } from '../testing/http-server.ts';
import type { OutgoingEmail } from './email-provider.ts';
import { createSesProvider } from './ses.ts';
import { createSesAccountClient, createSesClient } from './ses-client.ts';

const finished: (() => unknown)[] = [];
afterEach(async () => {
  for (const finish of finished.splice(0)) await finish();
});

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const never = new AbortController().signal;
const from = { email: 'hello@example.test', name: 'Shop' };

function provide(endpoint: string) {
  const options = { region: 'us-east-1', endpoint, credentials };
  const provider = createSesProvider(createSesClient(options), createSesAccountClient(options), 'posthaste');
  finished.push(() => provider.close());
  return provider;
}

async function start() {
  const ses = await startTestSes();
  await ses.verify('example.test');
  const faults = (settings: object) => ses.control('PUT', '/api/faults', settings);
  return { ...ses, provider: provide(ses.ses.url), faults };
}

const emails = (count: number, changes: (index: number) => Partial<OutgoingEmail> = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    exampleEmail({
      from,
      to: { email: `reader-${index}@example.com`, name: null },
      subject: `For ${index}`,
      ...changes(index),
    }),
  );
const outcomes = (answers: { outcome: string }[]) => answers.map(({ outcome }) => outcome);
const all = (outcome: string, count: number) => Array.from({ length: count }, () => outcome);

/** A stand-in for SES that answers every call alike. */
async function serve(answer: (request: SeenRequest, response: ServerResponse) => void) {
  const server = await startHttpServer(answer);
  finished.push(() => server.close());
  return server;
}

describe('handing over many emails', () => {
  it('gives each recipient its own content, tags and headers, in calls of 50', async () => {
    const { provider, list } = await start();
    const many = emails(120, (index) => ({
      html: `<p title="a&quot;b">{{subject}} \\ ${index} ä😀</p>`,
      text: `text ${index}`,
      headers: { 'List-Unsubscribe': `<https://example.test/u/${index}>`, 'X-Greeting': 'Grüße' },
      replyTo: 'answers@example.test',
    }));
    const answers = await provider.handOverMany(many, never);
    expect(outcomes(answers)).toEqual(all('accepted', 120));
    const { total, messages } = await list('?limit=500');
    expect(total).toBe(120);
    for (const [index, email] of many.entries()) {
      const message = messages.find(({ emailId }) => emailId === email.emailId);
      expect(message).toMatchObject({
        from: 'Shop <hello@example.test>',
        to: [`reader-${index}@example.com`],
        replyTo: 'answers@example.test',
        subject: `For ${index}`,
        html: email.html,
        text: email.text,
        headers: { 'List-Unsubscribe': `<https://example.test/u/${index}>` },
      });
      expect(answers[index]).toEqual({ outcome: 'accepted', messageId: message?.id });
    }
  });

  it('sends shared content once, even beside emails with other content', async () => {
    const { provider, list } = await start();
    const piece = `<p title="a&quot;b">${'The same for everyone. '.repeat(400)}</p>`;
    const pieces = { html: [piece], text: ['The same. '] };
    const many = emails(100, (index) => ({
      html:
        index % 10 === 0
          ? `<p>${index}</p>`
          : { outline: `\0<p>{{h0}} \\ ${index}</p>`, pieces: pieces.html },
      text: { outline: `\0${index}`, pieces: pieces.text },
    }));
    expect(outcomes(await provider.handOverMany(many, never))).toEqual(all('accepted', 100));
    const { messages } = await list('?limit=500');
    const contents = new Map(messages.map(({ emailId, html, text }) => [emailId, { html, text }]));
    for (const { emailId, html, text } of many)
      expect(contents.get(emailId)).toEqual({ html: wholeText(html), text: wholeText(text) });
  });

  it('makes as many calls as the entries and their size need', async () => {
    const server = await serve((request, response) => {
      const { BulkEmailEntries } = JSON.parse(request.body);
      const results = BulkEmailEntries.map(() => ({ Status: 'SUCCESS', MessageId: 'm' }));
      response.end(JSON.stringify({ BulkEmailEntryResults: results }));
    });
    const small = await provide(server.url).handOverMany(emails(101), never);
    expect(outcomes(small)).toEqual(all('accepted', 101));
    expect(server.requests.map(({ body }) => JSON.parse(body).BulkEmailEntries.length)).toEqual([50, 50, 1]);
    server.requests.length = 0;
    // Quotes count four bytes each: they are escaped in the data, and the data is escaped in the call.
    await provide(server.url).handOverMany(
      emails(40, () => ({ html: '"'.repeat(30_000) })),
      never,
    );
    const sizes = server.requests.map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(900_000);
  });

  it('sends emails singly when the policy allows no bulk calls', async () => {
    const server = await serve((request, response) => {
      const isBulk = request.path.includes('bulk');
      response.statusCode = isBulk ? 403 : 200;
      if (isBulk) response.setHeader('x-amzn-ErrorType', 'AccessDeniedException');
      response.end(JSON.stringify(isBulk ? { message: 'not authorized' } : { MessageId: 'm' }));
    });
    expect(outcomes(await provide(server.url).handOverMany(emails(3), never))).toEqual(all('accepted', 3));
    expect(server.requests).toHaveLength(4);
  });

  it('separates emails that cannot share a call, and sends singly what no bulk call accepts', async () => {
    const { provider, list } = await start();
    const file = {
      filename: 'a.txt',
      contentType: 'text/plain',
      cid: null,
      disposition: 'attachment' as const,
      bytes: Buffer.from('hello'),
    };
    const many = [
      ...emails(2),
      ...emails(2, () => ({ from: { email: 'other@example.test', name: null } })),
      ...emails(2, () => ({ replyTo: 'answers@example.test' })),
      ...emails(2, () => ({ text: '' })),
      ...emails(1, () => ({ attachments: [file] })),
      ...emails(1, () => ({ html: 'x'.repeat(300_000) })),
      ...emails(1, () => ({ html: 'x'.repeat(1_200_000) })),
    ];
    const answers = await provider.handOverMany(many, never);
    expect(outcomes(answers)).toEqual(all('accepted', many.length));
    const { messages } = await list('?limit=50');
    const found = many.map(({ emailId }) => messages.find((message) => message.emailId === emailId));
    expect(found.map((message) => message?.from)).toEqual([
      ...all('Shop <hello@example.test>', 2),
      ...all('other@example.test', 2),
      ...all('Shop <hello@example.test>', 7),
    ]);
    expect(found.map((message) => message?.replyTo ?? '').slice(4, 8)).toEqual([
      'answers@example.test',
      'answers@example.test',
      '',
      '',
    ]);
    expect(found.slice(6, 8).map((message) => message?.text)).toEqual([null, null]);
    expect(found[8]?.attachments).toMatchObject([{ filename: 'a.txt' }]);
    expect(found.slice(9).map((message) => message?.html?.length)).toEqual([300_000, 1_200_000]);
  });

  it('sends singly what SES accepts only as raw MIME', async () => {
    const { provider, list } = await start();
    const many = emails(6, (index) => (index % 2 === 0 ? {} : { headers: { 'X-Long': 'x'.repeat(998) } }));
    expect(outcomes(await provider.handOverMany(many, never))).toEqual(all('accepted', 6));
    const { messages } = await list('?limit=50');
    expect(new Set(messages.map(({ emailId }) => emailId)).size).toBe(6);
    expect(messages.filter(({ headers }) => headers['X-Long'] === 'x'.repeat(998))).toHaveLength(3);
  });

  it('refuses the one malformed email of a call and sends the others', async () => {
    const { provider, list } = await start();
    const many = emails(60, (index) => (index === 7 ? { to: { email: 'no address', name: null } } : {}));
    const answers = await provider.handOverMany(many, never);
    expect(outcomes(answers).filter((outcome) => outcome === 'accepted')).toHaveLength(59);
    expect(answers[7]).toMatchObject({ outcome: 'refused' });
    const { messages } = await list('?limit=500');
    expect(new Set(messages.map(({ emailId }) => emailId)).size).toBe(59);
    expect(messages).toHaveLength(59);
  });

  it('reports throttled emails as later and unanswered ones as unknown', async () => {
    const { provider, list, faults } = await start();
    await faults({ throttleEvery: 2 });
    const throttled = await provider.handOverMany(emails(100), never);
    expect(outcomes(throttled)).toEqual([...all('accepted', 50), ...all('later', 50)]);
    expect(throttled[99]).toMatchObject({ retryInMs: 1_000 });
    await faults({ dropReplyEvery: 2 });
    const dropped = await provider.handOverMany(emails(100), never);
    expect(outcomes(dropped)).toEqual([...all('accepted', 50), ...all('unknown', 50)]);
    expect((await list()).total).toBe(150);
  });

  it('sends the emails of a refused call one by one, each once', async () => {
    const { provider, list, faults } = await start();
    await faults({ failEvery: 5, latencyMs: 5 });
    const many = emails(250);
    const answers = await provider.handOverMany(many, never);
    // The fifth call is refused, and then every fifth of its emails.
    expect(outcomes(answers).filter((outcome) => outcome === 'refused')).toHaveLength(10);
    const { messages } = await list('?limit=500');
    expect(messages).toHaveLength(240);
    expect(new Set(messages.map(({ emailId }) => emailId)).size).toBe(240);
  });

  it('starts nothing once it has to stop', async () => {
    const stop = new AbortController();
    const taken = Array.from({ length: 50 }, (_, index) => ({ Status: 'SUCCESS', MessageId: `m-${index}` }));
    const { url, requests } = await serve((_request, response) => {
      stop.abort();
      response.end(JSON.stringify({ BulkEmailEntryResults: taken }));
    });
    const provider = provide(url);
    const answers = await provider.handOverMany(emails(120), stop.signal);
    expect(outcomes(answers)).toEqual([...all('accepted', 50), ...all('later', 70)]);
    expect(await provider.handOverMany(emails(3), stop.signal)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ outcome: 'later', retryInMs: 0 })),
    );
    expect(requests).toHaveLength(1);
  });
});

describe('what SES says about an entry', () => {
  it.each<[object, object]>([
    [
      { Status: 'SUCCESS', MessageId: 'm' },
      { outcome: 'accepted', messageId: 'm' },
    ],
    [{ Status: 'SUCCESS' }, { outcome: 'unknown' }],
    [
      { Status: 'MESSAGE_REJECTED', Error: 'bad\nvery' },
      { outcome: 'refused', reason: 'MESSAGE_REJECTED: bad' },
    ],
    [{ Status: 'MAIL_FROM_DOMAIN_NOT_VERIFIED' }, { outcome: 'refused' }],
    [{ Status: 'INVALID_PARAMETER' }, { outcome: 'refused' }],
    [{ Status: 'FAILED' }, { outcome: 'refused' }],
    [{ Status: 'TRANSIENT_FAILURE' }, { outcome: 'later', retryInMs: 5_000 }],
    [{ Status: 'ACCOUNT_THROTTLED' }, { outcome: 'later', retryInMs: 1_000 }],
    [{ Status: 'ACCOUNT_DAILY_QUOTA_EXCEEDED' }, { outcome: 'later', retryInMs: 600_000 }],
    [{ Status: 'ACCOUNT_SUSPENDED' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'ACCOUNT_SENDING_PAUSED' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'CONFIGURATION_SET_SENDING_PAUSED' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'CONFIGURATION_SET_NOT_FOUND' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'INVALID_SENDING_POOL_NAME' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'TEMPLATE_NOT_FOUND' }, { outcome: 'later', retryInMs: 60_000 }],
    [{ Status: 'SOMETHING_NEW' }, { outcome: 'unknown' }],
    [{}, { outcome: 'unknown' }],
  ])('%j is %o', async (result, expected) => {
    const server = await serve((_request, response) =>
      response.end(JSON.stringify({ BulkEmailEntryResults: [result] })),
    );
    const answers = await provide(server.url).handOverMany(emails(2), never);
    expect(answers[0]).toMatchObject(expected);
    // Nothing was said about the second one.
    expect(answers[1]).toMatchObject({ outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });
});
