import type { contentTypes } from './content-types.ts';
import type { EmailSource } from './email-state.ts';

export interface WithholdingFacts {
  source: EmailSource;
  type: (typeof contentTypes)[number];
  projectDisabled: boolean;
  suppressTransactional: boolean;
  /** Null without a contact. */
  subscribed: boolean | null;
  suppressed: boolean;
}

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
export function withholding(email: WithholdingFacts): Withholding | undefined {
  if (email.projectDisabled) {
    return { kind: 'wait', reason: 'the project is disabled', retryInMs: disabledRetryMs };
  }
  if (email.type !== 'TRANSACTIONAL' && email.source !== 'TEST' && email.subscribed !== true) {
    return { kind: 'suppress', reason: email.suppressed ? suppressed : 'the contact is not subscribed' };
  }
  if (email.suppressed && email.suppressTransactional) return { kind: 'suppress', reason: suppressed };
  return undefined;
}
