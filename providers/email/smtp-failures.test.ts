import { afterEach, describe, expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import {
  type SmtpAction,
  type SmtpScript,
  type SmtpStage,
  startScriptedSmtp,
} from '../testing/scripted-smtp.ts';
import { startSmtpInbox } from '../testing/smtp-inbox.ts';
import { createSmtpProvider, type SmtpTimeouts } from './smtp.ts';

const roomy: SmtpTimeouts = { connectMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };
const short: SmtpTimeouts = { connectMs: 600, silenceMs: 600, totalMs: 1_500 };
/** Only a session that never gives up takes longer. */
const minuteMs = 60_000;
const waitsFor = (action: SmtpAction) => (action === 'silence' ? short : roomy);
const finished: (() => unknown)[] = [];
afterEach(async () => {
  for (const finish of finished.splice(0).reverse()) await finish();
});

function provide(url: string, waits = roomy) {
  const provider = createSmtpProvider(url, waits);
  finished.push(() => provider.close());
  return provider;
}

async function serve(script: SmtpScript) {
  const server = await startScriptedSmtp(script);
  finished.push(() => server.close());
  return server;
}

describe.each([
  ['one command at a time', '250 test'],
  ['several commands at once', '250-test\r\n250 PIPELINING'],
])('what an SMTP server replies, taking %s', (_how, ehlo) => {
  it.each<[SmtpStage, string, string]>([
    ['greeting', '554 no service for you', 'later'],
    ['greeting', '421 too busy', 'later'],
    ['MAIL', '550 5.7.1 sender not allowed', 'refused'],
    ['MAIL', '451 4.3.0 try again', 'later'],
    ['MAIL', '530 5.7.0 authentication required', 'later'],
    ['MAIL', '503 5.5.1 bad sequence', 'later'],
    ['MAIL', '421 4.3.2 shutting down', 'later'],
    ['RCPT', '550 5.1.1 no such user', 'refused'],
    ['RCPT', '452 4.2.2 mailbox full', 'later'],
    ['RCPT', '421 4.7.0 too many', 'later'],
    ['DATA', '554 5.5.1 no', 'refused'],
    ['DATA', '451 4.3.0 not now', 'later'],
    ['message', '554 5.7.1 spam', 'refused'],
    ['message', '552 5.3.4 too big', 'refused'],
    ['message', '550-5.4.5 Daily user sending limit exceeded.\r\n550 5.4.5 Go to https://x.example', 'later'],
    ['MAIL', '550 5.7.1 Daily SMTP relay limit exceeded for customer', 'later'],
    ['RCPT', '550 5.1.1 <the.daily-news@example.com>: beyond the limit of this mailbox', 'refused'],
    ['message', '451 4.7.1 greylisted', 'later'],
    ['message', '421 4.3.2 shutting down', 'later'],
  ])('at %s: %s means %s', async (stage, reply, outcome) => {
    const server = await serve({ EHLO: [ehlo], [stage]: [reply] });
    expect(await provide(server.url).handOver(exampleEmail())).toMatchObject({
      outcome,
      reason: expect.stringContaining(reply.slice(0, 3)),
    });
    expect(server.messages.length).toBe(stage === 'message' ? 1 : 0);
  });

  it.each<[SmtpStage, string, boolean | undefined]>([
    ['MAIL', '451 4.7.1 greylisted', true],
    ['RCPT', '450 4.7.1 greylisted', true],
    ['DATA', '451 4.3.0 not now', true],
    ['message', '421 4.7.0 try again later', true],
    ['greeting', '421 too busy', false],
    ['MAIL', '530 5.7.0 authentication required', false],
    ['message', '550 5.4.5 Daily user sending limit exceeded', undefined],
  ])('after %s: %s the email backs off: %s', async (stage, reply, backsOff) => {
    const server = await serve({ EHLO: [ehlo], [stage]: [reply] });
    const handedOver = await provide(server.url).handOver(exampleEmail());
    expect(handedOver).toMatchObject({ outcome: 'later' });
    expect('backsOff' in handedOver ? handedOver.backsOff : undefined).toBe(backsOff);
  });

  it.each<[SmtpStage, SmtpAction, string]>([
    ['greeting', 'close', 'later'],
    ['greeting', 'silence', 'later'],
    ['MAIL', 'close', 'later'],
    ['MAIL', 'silence', 'later'],
    ['RCPT', 'close', 'later'],
    ['RCPT', 'silence', 'later'],
    ['DATA', 'close', 'later'],
    ['DATA', 'silence', 'later'],
    ['midMessage', 'close', 'unknown'],
    ['message', 'close', 'unknown'],
    ['message', 'silence', 'unknown'],
    ['message', 'nonsense', 'unknown'],
  ])('at %s: %s means %s', async (stage, action, outcome) => {
    const big = exampleEmail(stage === 'midMessage' ? { html: 'x'.repeat(3_000_000) } : {});
    const waits = waitsFor(action);
    for (;;) {
      const server = await serve({ EHLO: [ehlo], [stage]: [action] });
      const start = performance.now();
      const handedOver = await provide(server.url, waits).handOver(big);
      expect(performance.now() - start).toBeLessThan(minuteMs);
      // A busy machine may not reach the message within the short limits.
      if (waits === short && stage === 'message' && server.messages.length === 0) {
        expect(handedOver).toMatchObject({ outcome: 'later' });
        continue;
      }
      expect(handedOver).toMatchObject({ outcome });
      expect(server.messages.length).toBe(stage === 'message' ? 1 : 0);
      return;
    }
  });

  it('never sends a message twice when the server dies after it', async () => {
    const server = await serve({ EHLO: [ehlo], message: ['close', '250 ok'] });
    const provider = provide(server.url);
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'unknown' });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.messages).toHaveLength(1);
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(server.messages).toHaveLength(2);
  });

  it('uses another connection when a kept one was closed before the message', async () => {
    const server = await serve({ EHLO: [ehlo], MAIL: ['250 ok', 'close', '250 ok'] });
    const provider = provide(server.url);
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(server.messages).toHaveLength(2);
    expect(server.connections).toBe(2);
  });

  it('continues after a refusal over the same connection', async () => {
    const server = await serve({ EHLO: [ehlo], RCPT: ['550 no such user', '250 ok'] });
    const provider = provide(server.url);
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'refused' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'accepted' });
    expect(server.connections).toBe(1);
  });
});

describe('the set-up of an SMTP server', () => {
  it.each(['550 go away', '421 not now', 'close', 'silence'])('EHLO: %s means later', async (action) => {
    const server = await serve({ EHLO: [action] });
    expect(await provide(server.url, waitsFor(action)).handOver(exampleEmail())).toMatchObject({
      outcome: 'later',
    });
  });

  it('an email without a recipient is refused', async () => {
    const server = await serve({});
    const email = exampleEmail({ to: { email: '', name: null } });
    expect(await provide(server.url).handOver(email)).toMatchObject({ outcome: 'refused' });
    expect(server.messages).toEqual([]);
  });

  it.each([
    ['535 wrong password', 535],
    ['454 no directory', 454],
  ])('a login that fails with %s means later', async (_what, responseCode) => {
    const inbox = await startSmtpInbox({
      authOptional: false,
      onAuth(_auth, _session, callback) {
        callback(Object.assign(new Error('Login failed'), { responseCode }));
      },
    });
    finished.push(() => inbox.close());
    const answer = await provide(`smtp://user:wrong@127.0.0.1:${inbox.port}`).handOver(exampleEmail());
    expect(answer).toMatchObject({ outcome: 'later', reason: expect.stringContaining(String(responseCode)) });
    expect(answer).toHaveProperty('reason', expect.not.stringContaining('wrong@'));
  });

  it.each([
    ['nobody listens', 'smtp://127.0.0.1:1'],
    ['the name is unknown', 'smtp://mail.invalid'],
  ])('when %s it means later', async (_what, url) => {
    expect(await provide(url).handOver(exampleEmail())).toMatchObject({
      outcome: 'later',
      retryInMs: 30_000,
    });
  });

  it('a wait for a free connection that takes too long means later', async () => {
    // The end of the first frees its connection: the second gets no other one before its own time is up.
    const server = await serve({ message: ['silence'], greeting: ['220 test ESMTP', 'silence'] });
    const provider = provide(`${server.url}?maxConnections=1`, {
      connectMs: 300,
      silenceMs: 5_000,
      totalMs: 400,
    });
    const [first, second] = await Promise.all([
      provider.handOver(exampleEmail()),
      provider.handOver(exampleEmail()),
    ]);
    expect(first).toMatchObject({ outcome: 'unknown' });
    expect(second).toMatchObject({ outcome: 'later' });
    expect(server.messages).toHaveLength(1);
  });

  it('after the pool is closed nothing is sent', async () => {
    const server = await serve({});
    const provider = provide(server.url);
    await provider.close();
    expect(await provider.handOver(exampleEmail())).toMatchObject({ outcome: 'later' });
    expect(server.messages).toEqual([]);
  });
});
