/** A DNS record that the owner of a domain has to create. */
export interface DnsRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  /** Of MX records. */
  priority?: number;
  purpose: 'DKIM' | 'MAIL_FROM' | 'SPF' | 'DMARC' | 'OWNERSHIP';
}

export interface DomainCheck {
  /** Whether emails may be sent from the domain. */
  verified: boolean;
  /** `recordKey` of the wanted records that were seen. */
  found: string[];
  /** Those that hold now; others than before when the provider had to start over. */
  dkimTokens: string[];
}

/** Sender domains at the provider. */
export interface DomainIdentities {
  /** Makes the domain known; calling it again answers the same. */
  register(domain: string): Promise<{ dkimTokens: string[] }>;
  wantedRecords(domain: string, dkimTokens: readonly string[]): DnsRecord[];
  /**
   * How the domain stands right now.
   * @throws Error when that can't be told: what was known before still holds
   */
  check(domain: string, dkimTokens: readonly string[]): Promise<DomainCheck>;
  /** Forgets the domain; one that is not known is no error. */
  remove(domain: string): Promise<void>;
}

/** Names a record among those of its domain. */
export function recordKey(record: DnsRecord): string {
  return `${record.type} ${record.name} ${record.purpose}`;
}
