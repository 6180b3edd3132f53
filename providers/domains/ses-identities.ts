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
import type { DomainCheck } from '../../core/domains.ts';
import { findMisplaced, othersOf, type RecordLookup } from './dns-lookup.ts';
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

const read = (client: SESv2Client, domain: string): Promise<Identity> =>
  client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));

const installationTag = 'posthaste-installation';

// SES's MAIL FROM status covers the MX record only.
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
 * SES identities with Easy DKIM and a custom MAIL FROM host. A domain is verified when SES says it is and the project's
 * TXT record is in DNS: no document guarantees that SES issues new DKIM tokens for a recreated identity, so the tokens
 * don't prove who owns the domain now. Source: Amazon SES developer guide, "Verified identities in Amazon SES".
 *
 * @param client of `createSesAccountClient`
 * @param installation distinguishes installations that share an SES account
 * @param proofKey key of `ownershipRecord`
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
  const forget = (domain: string) => client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));

  // SES looks for the records for 72 hours, and never again after that: only a new identity can still be verified.
  const isExpired = (identity: Identity) =>
    isOurs(identity) &&
    identity.DkimAttributes?.Status === 'FAILED' &&
    identity.VerifiedForSendingStatus !== true;

  async function readOrCreate(domain: string): Promise<Identity> {
    try {
      const identity = await read(client, domain);
      if (!isExpired(identity)) return identity;
      await forget(domain);
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
    }
    return create(client, installation, domain);
  }

  return {
    async register({ domain }) {
      let identity = await readOrCreate(domain);
      if (!isOurs(identity)) throw new ForeignIdentity(`SES has an identity ${domain}`);
      identity = await ensureMailFrom(client, domain, identity);
      return { dkimTokens: identity.DkimAttributes?.Tokens ?? [] };
    },
    wantedRecords: recordsOf,
    async check(domain, knownTokens) {
      let identity = await readOrCreate(domain.domain);
      if (!isOurs(identity)) return { verified: false, found: [], others: {}, dkimTokens: [...knownTokens] };
      identity = await ensureMailFrom(client, domain.domain, identity);
      const dkimTokens = identity.DkimAttributes?.Tokens ?? [...knownTokens];
      return { ...(await checkRecords(lookup, domain, identity, recordsOf(domain, dkimTokens))), dkimTokens };
    },
    async remove(domain) {
      try {
        if (isOurs(await read(client, domain))) await forget(domain);
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    },
  };
}

/** Keeps a host that an operator chose. SES gives up on a host after three days (FAILED), so it is set again. */
async function ensureMailFrom(client: SESv2Client, domain: string, identity: Identity): Promise<Identity> {
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
  return read(client, domain);
}

async function checkRecords(
  lookup: RecordLookup,
  domain: Parameters<DomainIdentities['check']>[0],
  identity: Identity,
  records: readonly DnsRecord[],
): Promise<Omit<DomainCheck, 'dkimTokens'>> {
  const inDoubt = records.filter((record) => !isSeenBySes(identity, record.purpose));
  const sightings = await lookup(inDoubt);
  const missing = new Set(inDoubt.filter((_, index) => sightings[index] !== 'found'));
  const proof = domain.needsProof === false ? 'found' : sightings[0];
  const isVerifiedBySes = identity.VerifiedForSendingStatus === true;
  // A temporary DNS failure must not stop a verified domain from sending.
  if (isVerifiedBySes && proof === 'unanswered') {
    throw new Error(`DNS did not answer for _posthaste.${domain.domain}`);
  }
  const found = records.filter((record) => !missing.has(record)).map(recordKey);
  return {
    verified: isVerifiedBySes && proof === 'found',
    found: [...found, ...(await findMisplaced(lookup, domain.domain, inDoubt, sightings))],
    others: othersOf(inDoubt, sightings),
  };
}

async function create(client: SESv2Client, installation: string, domain: string): Promise<Identity> {
  const Tags = [{ Key: installationTag, Value: installation }];
  try {
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags }));
  } catch (error) {
    if (!(error instanceof AlreadyExistsException)) throw error;
  }
  return read(client, domain);
}
