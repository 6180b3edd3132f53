import type { Config } from '../core/config/schema.ts';
import { readSesAccount, type SesAccount } from '../providers/email/ses-account.ts';
import { verifySmtp } from '../providers/email/verify-smtp.ts';
import { sesOptions } from '../runtime/email-providers.ts';
import { type Finding, reporter } from './finding.ts';

const report = reporter('Provider');
const nearShare = 0.8;

export async function checkProvider(config: Config): Promise<Finding[]> {
  if (config.EMAIL_PROVIDER === 'ses') {
    return [...judgeSes(await readSesAccount(sesOptions(config)), config.AWS_REGION)];
  }
  await verifySmtp(config.SMTP_URL ?? '');
  const rate = config.EMAIL_RATE_PER_SECOND;
  return [report.ok(`SMTP accepts us; ${rate === 0 ? 'no rate is set' : `at most ${rate} emails a second`}`)];
}

function* judgeSes(account: SesAccount, region: string): Generator<Finding> {
  const { ratePerSecond, sentToday, quotaPerDay, enforcement } = account;
  yield account.isSending
    ? report.ok(`SES in ${region} answers, and the account may send`)
    : report.error(
        'SES has paused the account',
        'See the SES console: the cause is usually bounces or complaints.',
      );
  const used = `${sentToday} of ${quotaPerDay} emails used in the last 24 hours, ${ratePerSecond} a second granted`;
  if (quotaPerDay > 0 && sentToday >= quotaPerDay) {
    yield report.error(used, 'Emails wait until the quota allows more. Ask SES for a higher one.');
  } else if (quotaPerDay > 0 && sentToday >= quotaPerDay * nearShare) {
    yield report.warning(used, 'Ask SES for a higher quota.');
  } else yield report.ok(used);
  if (enforcement !== 'HEALTHY') {
    yield report.error(`SES says that the account is ${enforcement}`, 'Read the case in the SES console.');
  }
  if (!account.isOutOfSandbox) {
    yield report.warning(
      'the account is in the sandbox: it can send only to verified addresses',
      'Ask SES for production access.',
    );
  }
}
