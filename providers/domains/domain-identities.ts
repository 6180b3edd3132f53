import type { DomainCheck, DomainStatus } from '../../core/domains.ts';
import { registrableDomain } from '../../core/verification/registrable-domain.ts';

export interface DnsRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  priority?: number;
  purpose: 'DKIM' | 'MAIL_FROM' | 'SPF' | 'DMARC' | 'OWNERSHIP' | 'INBOUND';
}

/** A domain as added by one project. Adding it again, or to another project, creates a new id. */
export interface AddedDomain {
  id: string;
  domain: string;
  /** As last recorded: DNS that does not answer must not keep a pending domain forever. */
  status?: DomainStatus;
  /** False for a domain that was verified before the TXT record was required. */
  needsProof?: boolean;
}

/** The domain exists at the provider but was not registered by this installation. */
export class ForeignIdentity extends Error {}

/**
 * Sender domains at the provider, which knows each name once however many projects add it. Only a project's TXT
 * record decides which of them owns the domain.
 */
export interface DomainIdentities {
  /**
   * Idempotent, also across projects.
   *
   * @throws ForeignIdentity
   */
  register(domain: AddedDomain): Promise<{ dkimTokens: string[] }>;
  wantedRecords(domain: AddedDomain, dkimTokens: readonly string[]): DnsRecord[];
  /**
   * The current state; re-registers a domain that the provider no longer knows or no longer checks, which may change
   * its tokens.
   *
   * @throws Error when the provider does not answer: the last known state still holds
   */
  check(domain: AddedDomain, dkimTokens: readonly string[]): Promise<DomainCheck>;
  /** Call once no project has the domain. Idempotent. */
  remove(domain: string): Promise<void>;
}

/**
 * Where people enter a record by mistake: with a domain in the name that their DNS provider appends as well, without the
 * subdomain, or with another type. At most 4.
 */
export function misplacements(record: DnsRecord, domain: string): DnsRecord[] {
  const zone = registrableDomain(domain);
  const names = [...new Set([zone, domain])].map((appended) => `${record.name}.${appended}`);
  // The other records may be there on purpose, for the domain above.
  const isUnique = record.purpose === 'OWNERSHIP' || record.purpose === 'DKIM';
  if (zone !== domain && isUnique) names.push(`${record.name.slice(0, -domain.length)}${zone}`);
  const type = record.type === 'CNAME' ? 'TXT' : 'CNAME';
  return [...names.map((name) => ({ ...record, name })), { ...record, type }];
}

export function recordKey(record: DnsRecord): string {
  return `${record.type} ${record.name} ${record.purpose}`;
}
