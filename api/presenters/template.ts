import type { Campaign } from '../../db/entities/campaign.ts';
import type { Template } from '../../db/entities/template.ts';
import type { TemplateAnswer } from '../schemas/answers/template.ts';

export const presentContent = (content: Template | Campaign) => ({
  id: content.id,
  name: content.name,
  description: content.description ?? null,
  subject: content.subject,
  body: content.body,
  from: content.fromEmail,
  fromName: content.fromName ?? null,
  replyTo: content.replyTo ?? null,
  type: content.type,
});

export const withoutBody = <Answer extends { body: string }>({ body: _, ...rest }: Answer) => rest;

/** About the size of an answer with these bodies. */
export const bodyBytesOf = (contents: readonly { body: string }[]) =>
  contents.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

export function presentTemplate(template: Template): TemplateAnswer {
  return {
    ...presentContent(template),
    projectId: template.projectId,
    createdAt: template.createdAt.toISOString(),
    updatedAt: template.updatedAt.toISOString(),
  };
}
