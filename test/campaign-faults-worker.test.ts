import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startSmtpInbox } from '../providers/testing/smtp-inbox.ts';
import { faultTimeout, useCampaignFaultStage } from './setup/campaign-fault-stage.ts';
import {
  expectBooksAgree,
  expectExactlyOnce,
  sendCampaign,
  statusesOf,
  untilCampaignIs,
} from './setup/campaign-outcome.ts';
import { eventually } from './setup/eventually.ts';
import { replaceDomain } from './setup/sender.ts';

const stage = useCampaignFaultStage({ EMAIL_RATE_PER_SECOND: '200' });

it('a worker that is killed at six random moments, and once with the API: everyone gets the campaign once', {
  timeout: faultTimeout,
}, async () => {
  const recipients = 3_000;
  const { stack } = stage;
  const sender = await stage.createAudience(recipients);
  await stack.control('faults', { latencyMs: 50 });
  const id = await sendCampaign(sender);
  for (let kill = 1; kill <= 6; kill += 1) {
    await delay(200 + Math.random() * 2_500);
    const isWithApi = kill === 3;
    await (isWithApi ? stack.killAll() : stack.running('worker')[0]?.kill());
    await (isWithApi ? stack.start() : stack.startWorker());
  }
  await expectExactlyOnce(stack, sender, id, recipients);
});

it('a worker that is killed while it sends by SMTP: everyone except those under way gets the campaign, nobody twice', {
  timeout: faultTimeout,
}, async () => {
  const recipients = 300;
  const { stack } = stage;
  const sender = await stage.createAudience(recipients);
  const smtp = await startSmtpInbox({
    onRcptTo: (_address, _session, done) => setTimeout(done, 300),
  });
  const bySmtp = { EMAIL_PROVIDER: 'smtp', SMTP_URL: `smtp://127.0.0.1:${smtp.port}` };
  await stack.running('worker')[0]?.kill();
  // With SMTP, a domain is verified by DNS alone.
  await replaceDomain(stack, sender, 'verified');
  const worker = await stack.startWorker(bySmtp);
  const id = await sendCampaign(sender);
  await eventually(
    async () => smtp.mails.length,
    (count) => count > 30,
  );
  await worker.kill();
  await stack.startWorker(bySmtp);
  await untilCampaignIs(sender, id, 'SENT');
  const { SENT = 0, UNKNOWN = 0 } = await statusesOf(stack, id);
  expect(SENT + UNKNOWN).toBe(recipients);
  // Sixteen under way, and those of the last second or so whose acceptance was not recorded yet.
  expect(UNKNOWN).toBeLessThan(100);
  const reached = smtp.mails.flatMap(({ to }) => to);
  expect(new Set(reached).size).toBe(reached.length);
  expect(reached.length).toBeGreaterThanOrEqual(SENT);
  await expectBooksAgree(stack, sender, id, recipients);
  await smtp.close();
});
