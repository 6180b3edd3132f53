import { z } from 'zod';
import type { RecordLookup, Sighting } from './dns-lookup.ts';
import type { DnsRecord } from './domain-identities.ts';

// Null: no texts were set, and every local domain counts as proven.
const zoneSchema = z.object({ texts: z.array(z.string()).nullable() });

/**
 * Looks up ownership and inbound records at the local SES, which stands in for the DNS of local domains, and all
 * others in DNS.
 *
 * @param sesUrl address of the local SES
 */
export function createLocalZoneLookup(sesUrl: string, lookup: RecordLookup): RecordLookup {
  async function lookLocally({ name, value }: DnsRecord, isMisplaced: boolean): Promise<Sighting> {
    try {
      const answer = await fetch(`${sesUrl}/api/records/${encodeURIComponent(name)}`);
      const { texts } = zoneSchema.parse(await answer.json());
      if (texts === null) return isMisplaced ? 'missing' : 'found';
      if (texts.includes(value)) return 'found';
      return texts.length === 0 ? 'missing' : { others: texts };
    } catch {
      return 'unanswered';
    }
  }

  return async (records, areMisplaced = false) => {
    const isLocal = ({ purpose }: DnsRecord) => purpose === 'OWNERSHIP' || purpose === 'INBOUND';
    const elsewhere = records.filter((record) => !isLocal(record));
    const found = new Map<DnsRecord, Sighting>();
    const sightings = await lookup(elsewhere, areMisplaced);
    for (const [index, record] of elsewhere.entries()) found.set(record, sightings[index] ?? 'unanswered');
    return Promise.all(records.map(async (record) => found.get(record) ?? lookLocally(record, areMisplaced)));
  };
}
