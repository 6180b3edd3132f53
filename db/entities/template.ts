import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, primaryId, updatedAt } from './columns.ts';
import type { ContentType } from './email.ts';

/** Reusable content of emails (API contract, "Template"). */
export const Template = defineEntity({
  name: 'Template',
  tableName: 'templates',
  indexes: [{ name: 'templates_project', properties: ['projectId', 'createdAt', 'id'] }],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    /** Liquid. */
    subject: p.text(),
    /** HTML with Liquid. */
    body: p.text(),
    fromEmail: p.text(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    type: p.text().$type<ContentType>().check(`type in ('TRANSACTIONAL', 'MARKETING', 'HEADLESS')`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type TemplateRow = InferEntity<typeof Template>;
