import {
  AlreadyExistsException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  type GetEmailIdentityCommandOutput,
  NotFoundException,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';
import type { RecordLookup } from './dns-lookup.ts';
import { type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';
import { mailFromHost, sesRecords } from './ses-records.ts';

type Identity = GetEmailIdentityCommandOutput;

/** Whether SES has said by itself that a record is there. Its MAIL FROM state is about the MX record alone. */
function isSeenBySes(identity: Identity, purpose: DnsRecord['purpose']): boolean {
  switch (purpose) {
    case 'DKIM':
      return identity.DkimAttributes?.Status === 'SUCCESS';
    case 'MAIL_FROM':
      return identity.MailFromAttributes?.MailFromDomainStatus === 'SUCCESS';
    default:
      return false;
  }
}

/**
 * Sender domains as SES identities with Easy DKIM and a MAIL FROM host of their own. SES decides whether a domain is
 * verified; DNS is asked only for what to show of its records.
 * Source: Amazon SES developer guide, "Verified identities in Amazon SES".
 *
 * @param client of `createSesAccountClient`
 */
export function createSesIdentities(
  client: SESv2Client,
  region: string,
  lookup: RecordLookup,
): DomainIdentities {
  const read = (domain: string) => client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));

  /** Gives the identity a MAIL FROM host, unless an operator chose one; SES gives up on one after three days. */
  async function ensureMailFrom(domain: string, identity: Identity): Promise<Identity> {
    const { MailFromDomain, MailFromDomainStatus } = identity.MailFromAttributes ?? {};
    if (MailFromDomain !== undefined && MailFromDomain !== '' && MailFromDomainStatus !== 'FAILED') {
      return identity;
    }
    await client.send(
      new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domain,
        MailFromDomain: MailFromDomain || mailFromHost(domain),
        BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      }),
    );
    return read(domain);
  }

  async function create(domain: string): Promise<Identity> {
    try {
      await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
    } catch (error) {
      if (!(error instanceof AlreadyExistsException)) throw error;
    }
    return read(domain);
  }

  /** Also makes an identity known again that was removed at SES behind our back. */
  async function readOrCreate(domain: string): Promise<Identity> {
    try {
      return await read(domain);
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
      return create(domain);
    }
  }

  return {
    async register(domain) {
      const identity = await ensureMailFrom(domain, await create(domain));
      return { dkimTokens: identity.DkimAttributes?.Tokens ?? [] };
    },
    wantedRecords: (domain, dkimTokens) => sesRecords(domain, dkimTokens, region),
    async check(domain, knownTokens) {
      const identity = await ensureMailFrom(domain, await readOrCreate(domain));
      const dkimTokens = identity.DkimAttributes?.Tokens ?? [...knownTokens];
      const records = sesRecords(domain, dkimTokens, region);
      const inDoubt = records.filter((record) => !isSeenBySes(identity, record.purpose));
      const sightings = await lookup(inDoubt);
      const missing = new Set(inDoubt.filter((_, index) => sightings[index] !== 'found'));
      return {
        verified: identity.VerifiedForSendingStatus === true,
        found: records.filter((record) => !missing.has(record)).map(recordKey),
        dkimTokens,
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
