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
import {
  type AddedDomain,
  type DnsRecord,
  type DomainIdentities,
  ForeignIdentity,
  recordKey,
} from './domain-identities.ts';
import { mailFromHost, sesRecords } from './ses-records.ts';

type Identity = GetEmailIdentityCommandOutput;

/** Tags of an identity: which domain it was made for, and by which installation. */
const domainTag = 'posthaste-domain';
const installationTag = 'posthaste-installation';

const tagOf = (identity: Identity, key: string) => identity.Tags?.find((tag) => tag.Key === key)?.Value;
const isOf = (identity: Identity, { id }: AddedDomain) => tagOf(identity, domainTag) === id;

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
 * verified; DNS is asked only for what to show of its records. Whose an identity is says its tag alone.
 * Source: Amazon SES developer guide, "Verified identities in Amazon SES".
 *
 * @param client of `createSesAccountClient`
 * @param installation tells identities of this installation from those of others in the same account
 */
export function createSesIdentities(
  client: SESv2Client,
  region: string,
  lookup: RecordLookup,
  installation: string,
): DomainIdentities {
  const read = (domain: string) => client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
  const forget = (domain: string) => client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));

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

  /** Answers the identity of that name that is there, whoever made it. */
  async function create({ id, domain }: AddedDomain): Promise<Identity> {
    const Tags = [
      { Key: domainTag, Value: id },
      { Key: installationTag, Value: installation },
    ];
    try {
      await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags }));
    } catch (error) {
      if (!(error instanceof AlreadyExistsException)) throw error;
    }
    return read(domain);
  }

  /** Also makes an identity known again that was removed at SES behind our back. */
  async function readOrCreate(domain: AddedDomain): Promise<Identity> {
    try {
      return await read(domain.domain);
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
      return create(domain);
    }
  }

  return {
    async register(domain) {
      let identity = await create(domain);
      if (!isOf(identity, domain) && tagOf(identity, installationTag) === installation) {
        await forget(domain.domain);
        identity = await create(domain);
      }
      if (!isOf(identity, domain)) throw new ForeignIdentity(`SES has an identity ${domain.domain}`);
      identity = await ensureMailFrom(domain.domain, identity);
      return { dkimTokens: identity.DkimAttributes?.Tokens ?? [] };
    },
    wantedRecords: ({ domain }, dkimTokens) => sesRecords(domain, dkimTokens, region),
    async check(domain, knownTokens) {
      let identity = await readOrCreate(domain);
      if (!isOf(identity, domain)) return { verified: false, found: [], dkimTokens: [...knownTokens] };
      identity = await ensureMailFrom(domain.domain, identity);
      const dkimTokens = identity.DkimAttributes?.Tokens ?? [...knownTokens];
      const records = sesRecords(domain.domain, dkimTokens, region);
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
        if (isOf(await read(domain.domain), domain)) await forget(domain.domain);
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    },
  };
}
