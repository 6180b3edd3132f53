import { z } from 'zod';
import { contentTypes } from './content-types.ts';
import { emailSources } from './email-state.ts';

export const withholdingFactsSchema = z.object({
  source: z.enum(emailSources),
  type: z.enum(contentTypes),
  projectDisabled: z.boolean(),
  suppressTransactional: z.boolean(),
  /** Null without a contact. */
  subscribed: z.boolean().nullable(),
  suppressed: z.boolean(),
});

export type Withholding =
  | { kind: 'suppress'; reason: string }
  | { kind: 'wait'; reason: string; retryInMs: number };

const suppressed = 'the contact is suppressed after a bounce or complaint';
const disabledRetryMs = 5 * 60 * 1000;

/**
 * Why an email must not leave now; undefined when it may. Marketing and headless emails go to subscribed
 * contacts only. Transactional emails go to everyone, unless the project withholds them from suppressed
 * contacts. A test goes to the address that requested it.
 */
export function withholding(email: z.output<typeof withholdingFactsSchema>): Withholding | undefined {
  if (email.projectDisabled) {
    return { kind: 'wait', reason: 'the project is disabled', retryInMs: disabledRetryMs };
  }
  if (email.type !== 'TRANSACTIONAL' && email.source !== 'TEST' && email.subscribed !== true) {
    return { kind: 'suppress', reason: email.suppressed ? suppressed : 'the contact is not subscribed' };
  }
  if (email.suppressed && email.suppressTransactional) return { kind: 'suppress', reason: suppressed };
  return undefined;
}
