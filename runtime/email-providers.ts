import type { Config } from '../core/config/schema.ts';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { createDnsIdentities } from '../providers/domains/dns-identities.ts';
import { createRecordLookup } from '../providers/domains/dns-lookup.ts';
import type { DomainIdentities } from '../providers/domains/domain-identities.ts';
import { createLocalZoneLookup } from '../providers/domains/local-zone.ts';
import { createSesIdentities } from '../providers/domains/ses-identities.ts';
import type { EmailProvider } from '../providers/email/email-provider.ts';
import { createSesProvider } from '../providers/email/ses.ts';
import { createSesAccountClient, createSesClient, type SesOptions } from '../providers/email/ses-client.ts';
import { createMailBucket, type MailBucket } from '../providers/inbound/mail-bucket.ts';

export interface EmailProviders {
  provider: EmailProvider;
  identities: DomainIdentities;
}

/** The local SES accepts any signature; otherwise the usual AWS sources apply. */
export function sesCredentials(config: Config): SesOptions['credentials'] {
  if (config.SNS_LOCAL_HOST === undefined) return undefined;
  return { accessKeyId: 'local', secretAccessKey: 'local' };
}

export function sesOptions(config: Config): SesOptions {
  return { region: config.AWS_REGION, endpoint: config.SES_ENDPOINT, credentials: sesCredentials(config) };
}

export async function openEmailProviders(config: Config): Promise<EmailProviders> {
  const lookup = createRecordLookup(config.DNS_SERVERS);
  const proofKey = deriveKey(config.APP_SECRET, 'domain-proof');
  switch (config.EMAIL_PROVIDER) {
    case 'ses': {
      const isLocal = config.SNS_LOCAL_HOST !== undefined;
      const options = sesOptions(config);
      const account = createSesAccountClient(options);
      const installation = deriveKey(config.APP_SECRET, 'identity-tag').toString('hex').slice(0, 16);
      return {
        provider: createSesProvider(createSesClient(options), account, config.SES_CONFIGURATION_SET),
        identities: createSesIdentities(
          account,
          { region: config.AWS_REGION, isReceiving: config.INBOUND_ENABLED },
          isLocal && config.SES_ENDPOINT !== undefined
            ? createLocalZoneLookup(config.SES_ENDPOINT, lookup)
            : lookup,
          installation,
          proofKey,
        ),
      };
    }
    case 'smtp': {
      const { createSmtpProvider } = await import('../providers/email/smtp.ts');
      return {
        // Set, or the configuration would have been refused.
        provider: createSmtpProvider(config.SMTP_URL ?? ''),
        identities: createDnsIdentities(proofKey, lookup),
      };
    }
  }
}

export function openMailBucket(config: Config): MailBucket {
  return createMailBucket({
    region: config.AWS_REGION,
    endpoint: config.INBOUND_S3_ENDPOINT,
    credentials: sesCredentials(config),
  });
}
