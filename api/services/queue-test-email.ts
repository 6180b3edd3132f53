import { Contact } from '../../db/entities/contact.ts';
import { Email, EmailContent } from '../../db/entities/email.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import type { Template } from '../../db/entities/template.ts';
import type { Em } from '../../db/orm.ts';
import { holdSenderDomain } from './sender-domains.ts';

type TestedContent = Pick<
  Template,
  'projectId' | 'type' | 'subject' | 'body' | 'fromEmail' | 'fromName' | 'replyTo'
>;

/** @throws DomainError `SENDER_DOMAIN_REFUSED` */
export async function queueTestEmail(em: Em, content: TestedContent, toEmail: string): Promise<void> {
  await holdSenderDomain(em, content.fromEmail);
  const { projectId, type, body, fromEmail, fromName, replyTo } = content;
  const contact = await em.findOne(Contact, { email: toEmail }, { fields: ['id'] });
  const subject = `[TEST] ${content.subject}`;
  const stored = em.create(EmailContent, { projectId, subject, body, fromEmail, fromName, replyTo });
  const email = em.create(Email, {
    projectId,
    contactId: contact?.id ?? null,
    contentId: stored.id,
    source: 'TEST',
    type,
    toEmail,
    fromEmail,
  });
  em.create(OutboxCommand, { kind: 'email.dispatch', subjectId: email.id, projectId });
}
