import { z } from 'zod';
import { contentTypes } from '../../../core/content-types.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';

const contentSchema = z.object({
  subject: z.string(),
  body: z.string(),
  fromEmail: z.string(),
  fromName: z.string().nullable(),
  replyTo: z.string().nullable(),
  type: z.enum(contentTypes),
});

export type TemplateContent = z.output<typeof contentSchema>;

const templateVersionSchema = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  version: z.date(),
  content: contentSchema.nullable(),
});

export interface WantedTemplate {
  projectId: string;
  id: string;
  known: Date | null;
}

const readSql = `
select t.id, t.project_id as "projectId", t.updated_at as version,
  case when t.updated_at is distinct from w.known then json_build_object('subject', t.subject, 'body', t.body,
    'fromEmail', t.from_email, 'fromName', t.from_name, 'replyTo', t.reply_to, 'type', t.type) end as content
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as w(id, project_id, known)
join templates t on t.id = w.id and t.project_id = w.project_id`;

/**
 * Templates for a batch of sends, in no particular order; unknown ones are left out. One statement for many projects,
 * which omits contents that the caller already has.
 */
export function readTemplateContents(em: Em, wanted: readonly WantedTemplate[]) {
  return preparedQuery(em, 'read_template_contents', templateVersionSchema, readSql, [
    wanted.map(({ id }) => id),
    wanted.map(({ projectId }) => projectId),
    wanted.map(({ known }) => known?.toISOString() ?? null),
  ]);
}
