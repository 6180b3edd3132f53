import { sealAccountLink } from '../../core/account-mail.ts';
import { accountMailTemplate, accountMailVariables } from '../../core/account-mail-layout.ts';
import type { AccountMailSettings } from '../../core/config/account-mail.ts';
import type { SitePages } from '../../core/config/site-pages.ts';
import { formatMessage } from '../../core/messages/messages.ts';
import { newId } from '../../core/new-id.ts';
import type { SecurityVerdict } from '../../core/project-security.ts';
import type { Em } from '../../db/orm.ts';
import { insertAccountMail } from '../../db/repositories/accounts/account-mails.ts';
import { listOwners } from '../../db/repositories/accounts/memberships.ts';

export interface OwnerMailOptions extends Pick<AccountMailSettings, 'from'> {
  /** Page about the security of a project; without one the email has no button. */
  pageOf: SitePages['security'];
  /** Derived for the purpose `account-link`. */
  linkKey: Buffer;
}

/** In the transaction of a suspension: queues an email about it to each owner of the project, where the service has a sender. */
export type TellOwners = (em: Em, projectId: string, judgement: SecurityVerdict) => Promise<void>;

export function createTellOwners({ from, pageOf, linkKey }: OwnerMailOptions): TellOwners {
  return async (em, projectId, { bounceRate, complaintRate }) => {
    if (from === null) return;
    for (const { email, projectName } of await listOwners(em, projectId)) {
      const contentId = newId();
      const values = {
        project: projectName,
        bounceRate: String(bounceRate),
        complaintRate: String(complaintRate),
      };
      await insertAccountMail(em, {
        emailId: newId(),
        contentId,
        outboxId: newId(),
        toEmail: email,
        fromEmail: from.email,
        fromName: from.name,
        ...accountMailTemplate,
        variables: {
          // Of a user no language is known.
          ...accountMailVariables('en', from.name, {
            title: formatMessage('en', 'account.suspendedTitle', values),
            text: formatMessage('en', 'account.suspendedText', values),
            button: formatMessage('en', 'account.suspendedButton'),
            hours: null,
            hint: formatMessage('en', 'account.suspendedHint'),
          }),
          sealedLink: sealAccountLink(linkKey, contentId, pageOf(projectId) ?? ''),
        },
      });
    }
  };
}
