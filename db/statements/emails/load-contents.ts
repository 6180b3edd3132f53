import { z } from 'zod';
import { attachmentDispositions } from '../../../core/attachment-disposition.ts';
import type { EmailBrand } from '../../../core/email-brand.ts';
import { locales } from '../../../core/messages/messages.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const contentRow = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  subject: z.string(),
  body: z.string(),
  fromEmail: z.string(),
  fromName: z.string().nullable(),
  replyTo: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  variables: z.record(z.string(), z.json()),
  language: z.enum(locales),
  footerAddress: z.string().nullable(),
});

const attachmentRow = z.object({
  contentId: z.uuid(),
  position: z.int(),
  filename: z.string(),
  contentType: z.string(),
  cid: z.string().nullable(),
  disposition: z.enum(attachmentDispositions),
  base64: z.string(),
});

export interface StoredContent {
  content: Omit<z.output<typeof contentRow>, keyof EmailBrand> & { brand: EmailBrand };
  attachments: (Omit<z.output<typeof attachmentRow>, 'base64'> & { bytes: Buffer })[];
}

/**
 * Contents by id, with attachments and the project's brand; contents past their retention are left out. A statement, because it transfers
 * bytes as base64: the default, hexadecimal, is half as large again.
 */
export async function loadContents(em: Em, ids: string[]): Promise<Map<string, StoredContent>> {
  const [contents, attachments] = await Promise.all([
    query(
      em,
      contentRow,
      `select t.id, t.project_id as "projectId", t.subject, t.body, t.from_email as "fromEmail", t.from_name as "fromName",
         t.reply_to as "replyTo", t.headers, t.variables, coalesce(p.language, 'en') as language,
         p.footer_address as "footerAddress"
       from email_contents t left join projects p on p.id = t.project_id where t.id = any($1::uuid[])`,
      [ids],
    ),
    query(
      em,
      attachmentRow,
      `select content_id as "contentId", position, filename, content_type as "contentType", cid, disposition,
         encode(bytes, 'base64') as base64
       from email_attachments where content_id = any($1::uuid[]) order by content_id, position`,
      [ids],
    ),
  ]);
  const files = attachments.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
  return new Map(
    contents.map(({ language, footerAddress, ...content }) => [
      content.id,
      {
        content: { ...content, brand: { language, footerAddress } },
        attachments: files.filter((file) => file.contentId === content.id),
      },
    ]),
  );
}
