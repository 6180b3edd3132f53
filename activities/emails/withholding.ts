import type { ClaimedEmail } from '../../db/repositories/emails/claim-emails.ts';

export type Withholding =
  | { kind: 'suppress'; reason: string }
  | { kind: 'wait'; reason: string; retryInMs: number };

const suppressed = 'the contact is suppressed after a bounce or complaint';
const disabledRetryMs = 5 * 60 * 1000;

/**
 * Why an email must not leave now, if so. Marketing and headless emails go to subscribed contacts only;
 * transactional ones to everyone, unless the project keeps them from suppressed contacts too. A test goes to whoever
 * asked for it.
 */
export function withholding(
  email: Pick<
    ClaimedEmail,
    'projectDisabled' | 'type' | 'source' | 'subscribed' | 'suppressed' | 'suppressTransactional'
  >,
): Withholding | undefined {
  if (email.projectDisabled) {
    return { kind: 'wait', reason: 'the project is disabled', retryInMs: disabledRetryMs };
  }
  if (email.type !== 'TRANSACTIONAL' && email.source !== 'TEST' && email.subscribed !== true) {
    return { kind: 'suppress', reason: email.suppressed ? suppressed : 'the contact is not subscribed' };
  }
  if (email.suppressed && email.suppressTransactional) return { kind: 'suppress', reason: suppressed };
  return undefined;
}
