import type { AccountEmailSettings } from '../../../core/config/account-email.ts';
import type { SitePages } from '../../../core/config/urls.ts';
import { formatMessage } from '../../../core/messages/messages.ts';
import type { SecurityVerdict } from '../../../core/project-security.ts';
import { Membership, Project } from '../../../db/entities/project.ts';
import type { Em } from '../../../db/orm.ts';
import { queueAccountEmail } from '../../../runtime/queue-account-email.ts';

export interface OwnerMailOptions extends Pick<AccountEmailSettings, 'from'> {
  /** Security page of a project; without a URL the email has no button. */
  pageOf: SitePages['security'];
  linkKey: Buffer;
}

/**
 * Queues an email to each owner of a suspended project, in the transaction of the suspension. Does nothing
 * when account emails are off.
 */
export type NotifyOwners = (em: Em, projectId: string, verdict: SecurityVerdict) => Promise<void>;

export function createOwnerNotifier({ from, pageOf, linkKey }: OwnerMailOptions): NotifyOwners {
  return async (em, projectId, { bounceRate, complaintRate }) => {
    if (from === null) return;
    const { name } = await em.findOneOrFail(Project, { id: projectId });
    const values = { project: name, bounceRate: String(bounceRate), complaintRate: String(complaintRate) };
    const texts = {
      title: formatMessage('en', 'account.suspendedTitle', values),
      text: formatMessage('en', 'account.suspendedText', values),
      button: formatMessage('en', 'account.suspendedButton'),
      hours: null,
      hint: formatMessage('en', 'account.suspendedHint'),
    };
    const link = pageOf(projectId) ?? '';
    for (const { user } of await em.getRepository(Membership).listWithUsers(projectId, 'OWNER')) {
      // We do not know the user's language.
      queueAccountEmail(em, { from, linkKey }, { to: user.email, locale: 'en', texts, link });
    }
  };
}
