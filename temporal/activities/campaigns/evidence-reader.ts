import type { SendEventEvidence } from '../../../db/statements/campaigns/send-event-evidence.ts';

type ReadEvidence = (campaignId: string) => Promise<SendEventEvidence>;

/**
 * Reads the evidence of a campaign once at a time, and keeps it for as long as reading it took. Reading a large campaign
 * may take longer than an attempt: the next attempt waits for the same statement, or uses its result.
 */
export function createEvidenceReader(read: ReadEvidence): ReadEvidence {
  const kept = new Map<string, Promise<SendEventEvidence>>();
  return (campaignId) => {
    const known = kept.get(campaignId);
    if (known !== undefined) return known;
    const startedAt = performance.now();
    const reading = read(campaignId);
    kept.set(campaignId, reading);
    const forget = () => kept.delete(campaignId);
    reading.then(() => setTimeout(forget, performance.now() - startedAt).unref(), forget);
    return reading;
  };
}
