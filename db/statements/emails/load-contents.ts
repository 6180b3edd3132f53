import { z } from 'zod';
import { attachmentDispositions } from '../../../core/attachment-disposition.ts';
import type { EmailBrand } from '../../../core/email-brand.ts';
import type { JsonObject } from '../../../core/json-value.ts';
import { locales } from '../../../core/messages/messages.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const textColumns = {
  subject: z.string(),
  body: z.string(),
  fromEmail: z.string(),
  fromName: z.string().nullable(),
  replyTo: z.string().nullable(),
  /** The project for which the sender's domain is verified. */
  domainOwnerId: z.uuid().nullable(),
};

const templateRow = z.object({ id: z.guid(), ...textColumns });

const ownColumns = {
  id: z.uuid(),
  projectId: z.uuid(),
  headers: z.record(z.string(), z.string()),
  variables: z.record(z.string(), z.json()),
  language: z.enum(locales),
  footerAddress: z.string().nullable(),
};

const contentRow = z.union([
  z.object({ ...ownColumns, ...textColumns, templateContentId: z.null() }),
  z.object({ ...ownColumns, templateContentId: z.guid() }),
]);

const attachmentRow = z.object({
  contentId: z.uuid(),
  position: z.int(),
  filename: z.string(),
  contentType: z.string(),
  cid: z.string().nullable(),
  disposition: z.enum(attachmentDispositions),
  base64: z.string(),
});

export interface Content extends Omit<z.output<typeof templateRow>, 'id'> {
  id: string;
  projectId: string;
  headers: Record<string, string>;
  variables: JsonObject;
  brand: EmailBrand;
}

export interface StoredContent {
  content: Content;
  attachments: (Omit<z.output<typeof attachmentRow>, 'base64'> & { bytes: Buffer })[];
}

const textSql = `subject, body, from_email as "fromEmail", from_name as "fromName", reply_to as "replyTo",
  (select project_id from domains where domain = split_part(from_email, '@', -1) and status = 'verified') as "domainOwnerId"`;

/**
 * Contents by id, with attachments and the project's brand; expired contents are left out. A statement, because it
 * transfers bytes as base64: the default, hexadecimal, is half as large again.
 */
export async function loadContents(em: Em, ids: string[]): Promise<Map<string, StoredContent>> {
  const [contents, attachments] = await Promise.all([
    loadTexts(em, ids),
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
    [...contents].map(([id, content]) => [
      id,
      { content, attachments: files.filter((file) => file.contentId === id) },
    ]),
  );
}

/** Contents without attachments. A template's text is read once for all emails that share it. */
export async function loadTexts(em: Em, ids: string[]): Promise<Map<string, Content>> {
  const sql = `select t.id, t.project_id as "projectId", t.template_content_id as "templateContentId", ${textSql}, t.headers,
       t.variables, coalesce(p.language, 'en') as language, p.footer_address as "footerAddress"
     from message_contents t left join projects p on p.id = t.project_id where t.id = any($1::uuid[])`;
  const rows = await query(em, contentRow, sql, [ids]);
  const templates = await loadTemplates(em, new Set(rows.flatMap((row) => row.templateContentId ?? [])));
  const contents = new Map<string, Content>();
  for (const { language, footerAddress, ...row } of rows) {
    const { id, projectId, headers, variables } = row;
    const text = row.templateContentId === null ? row : templates.get(row.templateContentId);
    if (text === undefined) continue;
    const brand = { language, footerAddress };
    contents.set(id, { ...text, id, projectId, headers, variables, brand });
  }
  return contents;
}

async function loadTemplates(em: Em, ids: Set<string>) {
  if (ids.size === 0) return new Map<string, z.output<typeof templateRow>>();
  const sql = `select id, ${textSql} from template_contents where id = any($1::uuid[])`;
  const rows = await query(em, templateRow, sql, [[...ids]]);
  return new Map(rows.map((row) => [row.id, row]));
}
