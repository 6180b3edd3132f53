import { accountMailProjectId } from '../../../core/account-mail.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** An email of the service itself about an account. */
export interface AccountMailRecord {
  emailId: string;
  contentId: string;
  outboxId: string;
  toEmail: string;
  fromEmail: string;
  fromName: string | null;
  /** Liquid. */
  subject: string;
  body: string;
  variables: Record<string, string>;
}

/** Queues an email on the way that all emails go; it leaves once the transaction is committed. */
export async function insertAccountMail(em: Em, mail: AccountMailRecord): Promise<void> {
  await sql(
    em,
    `with content as (
       insert into email_contents (id, project_id, subject, body, from_email, from_name, variables)
       values ($1, $2, $3, $4, $5, $6, $7)
     ),
     email as (
       insert into emails (id, project_id, content_id, source, to_email, from_email)
       values ($8, $2, $1, 'ACCOUNT', $9, $5)
     )
     insert into outbox (id, kind, subject_id, project_id) values ($10, 'email.dispatch', $8, $2)`,
    [
      mail.contentId,
      accountMailProjectId,
      mail.subject,
      mail.body,
      mail.fromEmail,
      mail.fromName,
      JSON.stringify(mail.variables),
      mail.emailId,
      mail.toEmail,
      mail.outboxId,
    ],
  );
}
