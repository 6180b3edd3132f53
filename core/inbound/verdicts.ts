import { z } from 'zod';

/**
 * The provider's verdicts on a received email. FAIL for `virus` or `spam` is certain enough to keep nothing;
 * GRAY is uncertain; PROCESSING_FAILED and DISABLED carry no information.
 *
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

export function isRejected({ spam, virus }: Verdicts): boolean {
  return spam === 'FAIL' || virus === 'FAIL';
}
