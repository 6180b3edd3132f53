import { z } from 'zod';
import { flag, integer, list, optionalText, optionalUrl, smtpUrl } from './types.ts';

/** Outgoing and received email, and send rates. */
export const providersVariables = {
  EMAIL_PROVIDER: z.enum(['ses', 'smtp']).default('ses').describe('`ses` or `smtp`.'),
  AWS_REGION: z
    .string()
    .default('us-east-1')
    .describe('Region of SES. Credentials come from the usual AWS sources.'),
  SES_ENDPOINT: optionalUrl.describe('Alternative endpoint of the SES API, such as the local SES.'),
  SES_CONFIGURATION_SET: z
    .string()
    .default('posthaste')
    .describe('SES configuration set that publishes the events.'),
  SNS_TOPIC_ARNS: list
    .refine(
      (arns) => arns.every((arn) => /^arn:[\w-]+:sns:[\w-]+:\d+:[\w.-]+$/.test(arn)),
      'Must be ARNs such as arn:aws:sns:eu-central-1:123456789012:posthaste',
    )
    .describe('Topics accepted at `/webhooks/sns`, separated by commas. Empty: none.'),
  SNS_LOCAL_HOST: optionalText.describe(
    '`host:port` of the local SES, whose notifications are trusted besides AWS. Never set it in production.',
  ),
  INBOUND_ENABLED: flag(false).describe(
    'Accept emails that SES receives for verified domains. `POST /domains` then shows the MX record too.',
  ),
  INBOUND_S3_BUCKETS: list.describe(
    'Buckets that SES stores received emails in, separated by commas; a notification for another bucket ' +
      'is refused.',
  ),
  INBOUND_S3_ENDPOINT: optionalUrl.describe(
    'Alternative endpoint for these buckets, such as the local SES. Uses the credentials of SES.',
  ),
  SMTP_URL: smtpUrl
    .optional()
    .describe('`smtp://user:password@host:port`, required with `EMAIL_PROVIDER=smtp`.'),
  EMAIL_RATE_PER_SECOND: integer(0).describe(
    'Maximum send rate of the provider account. 0: 90 % of the rate that SES grants; for SMTP: no limit.',
  ),
  PROJECT_EMAIL_RATE_PER_SECOND: integer(0).describe(
    'Maximum send rate per project. 0: only the limit of the account.',
  ),
  UNKNOWN_OUTCOME_SECONDS: integer(120, 1).describe(
    'How long an unanswered hand-over waits for its `Send` event.',
  ),
};
