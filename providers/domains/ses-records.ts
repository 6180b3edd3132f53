import type { DnsRecord } from './domain-identities.ts';

/**
 * Regions with their own DKIM domain; all others use `dkim.amazonses.com`.
 * Source: AWS general reference, "Amazon Simple Email Service endpoints and quotas", DKIM domains.
 */
const regionsWithDkimDomain = new Set([
  ...['af-south-1', 'ap-northeast-3', 'ap-south-2', 'ap-southeast-3', 'ap-southeast-5', 'ca-west-1'],
  ...['eu-central-2', 'eu-south-1', 'il-central-1', 'me-central-1', 'us-gov-east-1'],
]);

// A subdomain as envelope sender aligns SPF with the domain.
export const mailFromHost = (domain: string): string => `bounce.${domain}`;

export interface SesRecordsOptions {
  region: string;
  isReceiving: boolean;
}

/**
 * Records for Easy DKIM, a custom MAIL FROM host, an initial DMARC policy and, when receiving, inbound email.
 * Source: Amazon SES developer guide, "Easy DKIM in Amazon SES", "Using a custom MAIL FROM domain", "Publishing an
 * MX record for Amazon SES email receiving".
 */
export function sesRecords(
  domain: string,
  dkimTokens: readonly string[],
  { region, isReceiving }: SesRecordsOptions,
): DnsRecord[] {
  const dkimDomain = regionsWithDkimDomain.has(region)
    ? `dkim.${region}.amazonses.com`
    : 'dkim.amazonses.com';
  const host = mailFromHost(domain);
  return [
    ...dkimTokens.map(
      (token): DnsRecord => ({
        type: 'CNAME',
        name: `${token}._domainkey.${domain}`,
        value: `${token}.${dkimDomain}`,
        purpose: 'DKIM',
      }),
    ),
    {
      type: 'MX',
      name: host,
      value: `feedback-smtp.${region}.amazonses.com`,
      priority: 10,
      purpose: 'MAIL_FROM',
    },
    { type: 'TXT', name: host, value: 'v=spf1 include:amazonses.com ~all', purpose: 'SPF' },
    { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;', purpose: 'DMARC' },
    ...(isReceiving ? [inboundRecord(domain, region)] : []),
  ];
}

function inboundRecord(domain: string, region: string): DnsRecord {
  const value = `inbound-smtp.${region}.amazonaws.com`;
  return { type: 'MX', name: domain, value, priority: 10, purpose: 'INBOUND' };
}
