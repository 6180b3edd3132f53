import type { AttachmentRow, ContentRow } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** The contents with these ids and their attachments in order; a content past its retention is missing. */
export async function loadContents(
  em: Em,
  ids: string[],
): Promise<Map<string, { content: ContentRow; attachments: AttachmentRow[] }>> {
  const [contents, attachments] = await Promise.all([
    sql<ContentRow>(
      em,
      `select id, project_id as "projectId", subject, body, from_email as "fromEmail", from_name as "fromName",
         reply_to as "replyTo", headers, variables, created_at as "createdAt"
       from email_contents where id = any($1::uuid[])`,
      [ids],
    ),
    // As hexadecimal digits, the usual form of bytes, they would take half as much again on the way.
    sql<Omit<AttachmentRow, 'bytes'> & { base64: string }>(
      em,
      `select content_id as "contentId", position, filename, content_type as "contentType", cid, disposition,
         encode(bytes, 'base64') as base64
       from email_attachments where content_id = any($1::uuid[]) order by content_id, position`,
      [ids],
    ),
  ]);
  const files = attachments.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
  return new Map(
    contents.map((content) => [
      content.id,
      { content, attachments: files.filter((file) => file.contentId === content.id) },
    ]),
  );
}
