import type { Config } from '../core/config/schema.ts';
import { createMailBucket, type MailBucket } from '../providers/inbound/mail-bucket.ts';
import { sesCredentials } from './email-providers.ts';

export function openMailBucket(config: Config): MailBucket {
  return createMailBucket({
    region: config.AWS_REGION,
    endpoint: config.INBOUND_S3_ENDPOINT,
    credentials: sesCredentials(config),
  });
}
