import type { DomainCheck, DomainStatus } from '../../core/domains.ts';

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

export function recordKey(record: DnsRecord): string {
  return `${record.type} ${record.name} ${record.purpose}`;
}
