import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { startSmtpInbox } from '../providers/testing/smtp-inbox.ts';
import { checkProvider } from './provider.ts';

let close = async () => {};
afterEach(() => close());

const configOf = (changes: Record<string, string>) =>
  loadConfig({ APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://db/posthaste', ...changes });

async function checkSes(account: object) {
  const server = await startHttpServer((_, response) => response.end(JSON.stringify(account)));
  close = server.close;
  return checkProvider(configOf({ SES_ENDPOINT: server.url, SNS_LOCAL_HOST: server.host }));
}

const healthy = {
  SendingEnabled: true,
  ProductionAccessEnabled: true,
  EnforcementStatus: 'HEALTHY',
  SendQuota: { MaxSendRate: 14, Max24HourSend: 50_000, SentLast24Hours: 120 },
};
const quota = (SentLast24Hours: number) => ({ SendQuota: { ...healthy.SendQuota, SentLast24Hours } });

describe('Amazon SES', () => {
  it('may send', async () => {
    expect(await checkSes(healthy)).toMatchObject([
      { level: 'ok', text: 'SES in us-east-1 answers, and the account may send' },
      { level: 'ok', text: '120 of 50000 emails used in the last 24 hours, 14 a second granted' },
    ]);
  });

  it.each([
    ['error', { SendingEnabled: false }, 'SES has paused the account'],
    ['error', { EnforcementStatus: 'PROBATION' }, 'SES says that the account is PROBATION'],
    ['error', quota(50_000), '50000 of 50000 emails used'],
    ['warning', quota(45_000), '45000 of 50000 emails used'],
    ['warning', { ProductionAccessEnabled: false }, 'the account is in the sandbox'],
  ])('%s: %j', async (level, changes, text) => {
    const findings = await checkSes({ ...healthy, ...changes });
    expect(findings.filter((finding) => finding.level !== 'ok')).toEqual([
      expect.objectContaining({ level, text: expect.stringContaining(text) }),
    ]);
  });
});

describe('an SMTP server', () => {
  it('is checked without sending an email', async () => {
    const inbox = await startSmtpInbox();
    close = inbox.close;
    const config = { EMAIL_PROVIDER: 'smtp', EMAIL_RATE_PER_SECOND: '20' };
    const findings = await checkProvider(configOf({ ...config, SMTP_URL: `smtp://127.0.0.1:${inbox.port}` }));
    expect(findings).toMatchObject([{ level: 'ok', text: 'SMTP accepts us; at most 20 emails a second' }]);
    expect(inbox.mails).toEqual([]);
  });

  it('that refuses the password is an error', async () => {
    const inbox = await startSmtpInbox({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('wrong password')),
    });
    close = inbox.close;
    const url = `smtp://me:secret@127.0.0.1:${inbox.port}`;
    await expect(checkProvider(configOf({ EMAIL_PROVIDER: 'smtp', SMTP_URL: url }))).rejects.toThrow(
      /Invalid login/,
    );
  });
});
