import type { ReceivedAttachment } from '../../../core/inbound/parse-email.ts';
import type { AutomaticReason } from '../../../core/inbound/received-headers.ts';
import type { Verdicts } from '../../../core/inbound/verdicts.ts';
import type { InboundStatus } from '../../entities/inbound-email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A received email that was read. */
export interface KeptInbound {
  id: string;
  status: Exclude<InboundStatus, 'PENDING'>;
  recipients: string[];
  verdicts: Verdicts;
  contactId: string | null;
  emailId: string | null;
  fromEmail: string | null;
  fromName: string | null;
  subject: string | null;
  messageId: string | null;
  inReplyTo: string | null;
  automatic: AutomaticReason | null;
  hasContent: boolean;
  text: string | null;
  html: string | null;
  attachments: ReceivedAttachment[];
  receivedAt: Date;
}

/** A received email of the project; undefined also while it is not read yet. */
export async function findInbound(em: Em, projectId: string, id: string): Promise<KeptInbound | undefined> {
  const [row] = await sql<KeptInbound>(
    em,
    `select id, status, recipients, verdicts, contact_id as "contactId", email_id as "emailId",
       from_email as "fromEmail", from_name as "fromName", subject, message_id as "messageId",
       in_reply_to as "inReplyTo", automatic, has_content as "hasContent", text, html, attachments,
       received_at as "receivedAt"
     from inbound_emails where id = $1 and project_id = $2 and status <> 'PENDING'`,
    [id, projectId],
  );
  return row;
}

/** Rows changed at a time. */
const batchRows = 1_000;

/** Drops contents that have outlived their retention; who wrote what when stays. @returns how many */
export async function dropInboundContents(em: Em, retentionDays: number): Promise<number> {
  let total = 0;
  for (;;) {
    const rows = await sql(
      em,
      `update inbound_emails set text = null, html = null, attachments = '[]', has_content = false
       where id = any(array(
         select id from inbound_emails
         where has_content and created_at < now() - make_interval(days => $1) limit ${batchRows}))
       returning id`,
      [retentionDays],
    );
    total += rows.length;
    if (rows.length < batchRows) return total;
  }
}
