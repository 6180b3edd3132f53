import type { ContentType } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { preparedSql } from '../../sql.ts';

/** What an email takes from its template. */
export interface TemplateContent {
  subject: string;
  body: string;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  type: ContentType;
}

export interface WantedTemplate {
  projectId: string;
  id: string;
  /** The version that the caller has already; null: none. */
  known: Date | null;
}

export interface TemplateVersion {
  id: string;
  projectId: string;
  /** Differs from every version before. */
  version: Date;
  /** Null when it is the one that the caller knows. */
  content: TemplateContent | null;
}

const readSql = `
select t.id, t.project_id as "projectId", t.updated_at as version,
  case when t.updated_at is distinct from w.known then json_build_object('subject', t.subject, 'body', t.body,
    'fromEmail', t.from_email, 'fromName', t.from_name, 'replyTo', t.reply_to, 'type', t.type) end as content
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as w(id, project_id, known)
join templates t on t.id = w.id and t.project_id = w.project_id`;

/** These templates as they stand now, in any order; those that their projects do not have are missing. */
export function readTemplateContents(em: Em, wanted: readonly WantedTemplate[]): Promise<TemplateVersion[]> {
  return preparedSql(em, 'read_template_contents', readSql, [
    wanted.map((one) => one.id),
    wanted.map((one) => one.projectId),
    wanted.map((one) => one.known?.toISOString() ?? null),
  ]);
}
