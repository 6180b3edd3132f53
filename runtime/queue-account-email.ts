import { accountEmailProjectId, sealAccountLink } from '../core/account-email/sealed-link.ts';
import {
  type AccountEmailTexts,
  accountEmailTemplate,
  accountEmailVariables,
} from '../core/account-email/template.ts';
import type { Locale } from '../core/messages/messages.ts';
import { newId } from '../core/new-id.ts';
import { Email, EmailContent } from '../db/entities/email.ts';
import { OutboxCommand } from '../db/entities/outbox-command.ts';
import type { Em } from '../db/orm.ts';

export interface AccountEmailSender {
  from: { email: string; name: string };
  linkKey: Buffer;
}

export function queueAccountEmail(
  em: Em,
  { from, linkKey }: AccountEmailSender,
  email: { to: string; locale: Locale; texts: AccountEmailTexts; link: string },
): void {
  const [contentId, emailId] = [newId(), newId()];
  const projectId = accountEmailProjectId;
  em.create(EmailContent, {
    id: contentId,
    projectId,
    ...accountEmailTemplate,
    fromEmail: from.email,
    fromName: from.name,
    // RFC 3834: without it, absence notes answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
    variables: {
      ...accountEmailVariables(email.locale, from.name, email.texts),
      sealedLink: sealAccountLink(linkKey, contentId, email.link),
    },
  });
  em.create(Email, {
    id: emailId,
    projectId,
    contentId,
    source: 'ACCOUNT',
    toEmail: email.to,
    fromEmail: from.email,
  });
  em.create(OutboxCommand, { kind: 'email.dispatch', subjectId: emailId, projectId });
}
