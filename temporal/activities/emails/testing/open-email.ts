import { newId } from '../../../../core/new-id.ts';
import type { OpenEmail } from '../../../../db/statements/emails/find-open-emails.ts';

/** An open email, due now, of a contact who gets it. */
export const openEmail = (own: Partial<OpenEmail>): OpenEmail => ({
  id: newId(),
  projectId: 'p',
  contentId: null,
  source: 'TRANSACTIONAL',
  type: 'TRANSACTIONAL',
  projectDisabled: false,
  suppressTransactional: false,
  subscribed: true,
  suppressed: false,
  bytes: 0,
  dueInMs: 0,
  ...own,
});
