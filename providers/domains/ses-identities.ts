import {
  AlreadyExistsException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';
import type { RecordLookup } from './dns-lookup.ts';
import { type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';

/** Host of the envelope sender, so that SPF is aligned with the domain. */
const mailFromHost = (domain: string) => `bounce.${domain}`;

function sesRecords(domain: string, dkimTokens: readonly string[], region: string): DnsRecord[] {
  return [
    ...dkimTokens.map(
      (token): DnsRecord => ({
        type: 'CNAME',
        name: `${token}._domainkey.${domain}`,
        value: `${token}.dkim.amazonses.com`,
        purpose: 'DKIM',
      }),
    ),
    {
      type: 'MX',
      name: mailFromHost(domain),
      value: `feedback-smtp.${region}.amazonses.com`,
      priority: 10,
      purpose: 'MAIL_FROM',
    },
    { type: 'TXT', name: mailFromHost(domain), value: 'v=spf1 include:amazonses.com ~all', purpose: 'SPF' },
    { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;', purpose: 'DMARC' },
  ];
}

/** Sender domains as SES identities with Easy DKIM and a MAIL FROM host of their own. */
export function createSesIdentities(
  client: SESv2Client,
  region: string,
  lookup: RecordLookup,
): DomainIdentities {
  async function register(domain: string): Promise<{ dkimTokens: string[] }> {
    try {
      await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
    } catch (error) {
      if (!(error instanceof AlreadyExistsException)) throw error;
    }
    await client.send(
      new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domain,
        MailFromDomain: mailFromHost(domain),
        BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      }),
    );
    const identity = await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    return { dkimTokens: identity.DkimAttributes?.Tokens ?? [] };
  }

  async function statusOf(domain: string) {
    try {
      return await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
      // Removed at SES behind our back, or by the end of an earlier life of this domain: make it known again.
      await register(domain);
      return undefined;
    }
  }

  return {
    register,
    wantedRecords: (domain, dkimTokens) => sesRecords(domain, dkimTokens, region),
    async check(domain, dkimTokens) {
      const identity = await statusOf(domain);
      const seenByProvider = new Set<DnsRecord['purpose']>([
        ...(identity?.DkimAttributes?.Status === 'SUCCESS' ? (['DKIM'] as const) : []),
        ...(identity?.MailFromAttributes?.MailFromDomainStatus === 'SUCCESS'
          ? (['MAIL_FROM', 'SPF'] as const)
          : []),
      ]);
      const records = sesRecords(domain, dkimTokens, region);
      const seen = await Promise.all(
        records.map(async (record) => seenByProvider.has(record.purpose) || (await lookup(record))),
      );
      return {
        verified: identity?.VerifiedForSendingStatus === true,
        found: records.filter((_, index) => seen[index]).map(recordKey),
      };
    },
    async remove(domain) {
      try {
        await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    },
  };
}
