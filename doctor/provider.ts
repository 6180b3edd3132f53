import type { Config } from '../core/config/schema.ts';
import { readSesAccount } from '../providers/email/ses-account.ts';
import { verifySmtp } from '../providers/email/verify-smtp.ts';
import { sesOptions } from '../runtime/email-providers.ts';
import { type Finding, reporter } from './finding.ts';

const report = reporter('Provider');
const nearShare = 0.8;

export async function checkProvider(config: Config): Promise<Finding[]> {
  if (config.EMAIL_PROVIDER === 'ses') return checkSes(config);
  await verifySmtp(config.SMTP_URL ?? '');
  const rate = config.EMAIL_RATE_PER_SECOND;
  return [report.ok(`SMTP accepts us; ${rate === 0 ? 'no rate is set' : `at most ${rate} emails a second`}`)];
}

async function checkSes(config: Config): Promise<Finding[]> {
  const account = await readSesAccount(sesOptions(config));
  const { ratePerSecond, sentToday, quotaPerDay } = account;
  const used = `${sentToday} of ${quotaPerDay} emails used in the last 24 hours, ${ratePerSecond} a second granted`;
  const findings = [
    account.isSending
      ? report.ok(`SES in ${config.AWS_REGION} answers, and the account may send`)
      : report.error(
          'SES has paused the account',
          'See the SES console: the cause is usually bounces or complaints.',
        ),
  ];
  if (quotaPerDay > 0 && sentToday >= quotaPerDay) {
    findings.push(report.error(used, 'Emails wait until the quota allows more. Ask SES for a higher one.'));
  } else if (quotaPerDay > 0 && sentToday >= quotaPerDay * nearShare) {
    findings.push(report.warning(used, 'Ask SES for a higher quota.'));
  } else {
    findings.push(report.ok(used));
  }
  if (account.enforcement !== 'HEALTHY') {
    findings.push(
      report.error(
        `SES says that the account is ${account.enforcement}`,
        'Read the case in the SES console.',
      ),
    );
  }
  if (!account.isOutOfSandbox) {
    findings.push(
      report.warning(
        'the account is in the sandbox: it can send only to verified addresses',
        'Ask SES for production access.',
      ),
    );
  }
  return findings;
}
