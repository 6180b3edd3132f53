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
import { ownershipRecord } from './ownership-record.ts';
import { mailFromHost, type SesRecordsOptions, sesRecords } from './ses-records.ts';

type Identity = GetEmailIdentityCommandOutput;

/** Tag of an identity: which installation made it. */
const installationTag = 'posthaste-installation';

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
 * Sender domains as SES identities with Easy DKIM and a MAIL FROM host of their own. A domain is verified when SES says
 * so and the TXT record of its project is in DNS: nothing documents that SES issues other DKIM tokens for an identity
 * that is made again, so those prove nothing about who has the domain now.
 * Source: Amazon SES developer guide, "Verified identities in Amazon SES".
 *
 * @param client of `createSesAccountClient`
 * @param installation tells identities of this installation from those of others in the same account
 * @param proofKey as of `ownershipRecord`
 */
export function createSesIdentities(
  client: SESv2Client,
  options: SesRecordsOptions,
  lookup: RecordLookup,
  installation: string,
  proofKey: Buffer,
): DomainIdentities {
  const isOurs = (identity: Identity) =>
    identity.Tags?.some(({ Key, Value }) => Key === installationTag && Value === installation) === true;
  const recordsOf = (domain: AddedDomain, dkimTokens: readonly string[]) => [
    ownershipRecord(proofKey, domain),
    ...sesRecords(domain.domain, dkimTokens, options),
  ];
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
  async function create(domain: string): Promise<{ identity: Identity; isNew: boolean }> {
    const Tags = [{ Key: installationTag, Value: installation }];
    let isNew = true;
    try {
      await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags }));
    } catch (error) {
      if (!(error instanceof AlreadyExistsException)) throw error;
      isNew = false;
    }
    return { identity: await read(domain), isNew };
  }

  /** Also makes an identity known again that was removed at SES behind our back. */
  async function readOrCreate(domain: string): Promise<Identity> {
    try {
      return await read(domain);
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
      return (await create(domain)).identity;
    }
  }

  return {
    async register({ domain }) {
      let { identity, isNew } = await create(domain);
      if (!isNew && isOurs(identity) && identity.DkimAttributes?.Status === 'FAILED') {
        // Someone added the domain before and never proved it, and SES looks for its records no more.
        await forget(domain);
        ({ identity } = await create(domain));
      }
      if (!isOurs(identity)) throw new ForeignIdentity(`SES has an identity ${domain}`);
      identity = await ensureMailFrom(domain, identity);
      return { dkimTokens: identity.DkimAttributes?.Tokens ?? [] };
    },
    wantedRecords: recordsOf,
    async check(domain, knownTokens) {
      let identity = await readOrCreate(domain.domain);
      if (!isOurs(identity)) return { verified: false, found: [], dkimTokens: [...knownTokens] };
      identity = await ensureMailFrom(domain.domain, identity);
      const dkimTokens = identity.DkimAttributes?.Tokens ?? [...knownTokens];
      const records = recordsOf(domain, dkimTokens);
      const inDoubt = records.filter((record) => !isSeenBySes(identity, record.purpose));
      const sightings = await lookup(inDoubt);
      const missing = new Set(inDoubt.filter((_, index) => sightings[index] !== 'found'));
      const proof = domain.needsProof === false ? 'found' : sightings[0];
      const isVerifiedBySes = identity.VerifiedForSendingStatus === true;
      // A DNS that fails for a moment must not stop a verified domain from sending.
      if (isVerifiedBySes && proof === 'unanswered') {
        throw new Error(`DNS did not answer for _posthaste.${domain.domain}`);
      }
      return {
        verified: isVerifiedBySes && proof === 'found',
        found: records.filter((record) => !missing.has(record)).map(recordKey),
        dkimTokens,
      };
    },
    async remove(domain) {
      try {
        if (isOurs(await read(domain))) await forget(domain);
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    },
  };
}
