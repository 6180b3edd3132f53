import { z } from 'zod';

/**
 * What the provider found out about an email that came in. FAIL of `virus` or `spam` is certain enough to keep nothing
 * of it; GRAY is in doubt, PROCESSING_FAILED and DISABLED say nothing.
 * Source: Amazon SES developer guide, "Contents of notifications for Amazon SES email receiving".
 */
export const verdictSchema = z
  .enum(['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED'])
  .catch('PROCESSING_FAILED');

export const verdictsSchema = z.object({
  spf: verdictSchema,
  dkim: verdictSchema,
  dmarc: verdictSchema,
  spam: verdictSchema,
  virus: verdictSchema,
});

export type Verdicts = z.output<typeof verdictsSchema>;

/** Whether nothing of an email may be kept or acted on. */
export function isRejected({ spam, virus }: Verdicts): boolean {
  return spam === 'FAIL' || virus === 'FAIL';
}
