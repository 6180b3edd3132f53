import { z } from 'zod';
import type { TemplateRow } from '../../db/entities/template.ts';

export const contentTypeSchema = z.enum(['TRANSACTIONAL', 'MARKETING', 'HEADLESS']);

export const templateSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string(),
    body: z.string(),
    from: z.string(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: contentTypeSchema,
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Template' });

export type TemplateAnswer = z.output<typeof templateSchema>;

export function presentTemplate(row: TemplateRow): TemplateAnswer {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? null,
    subject: row.subject,
    body: row.body,
    from: row.fromEmail,
    fromName: row.fromName ?? null,
    replyTo: row.replyTo ?? null,
    type: row.type,
    projectId: row.projectId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** What sends a template (decisions of the contract: usage). */
export const templateUsageSchema = z.object({
  campaigns: z.array(z.object({ id: z.uuid(), name: z.string(), status: z.string() })),
  workflowSteps: z.array(
    z.object({
      workflowId: z.uuid(),
      workflowName: z.string(),
      stepId: z.uuid(),
      stepName: z.string(),
    }),
  ),
  workflowVersions: z
    .array(z.object({ workflowId: z.uuid(), workflowName: z.string(), version: z.number().int() }))
    .describe(
      'Former versions that send it, by which executions are under way, or start while the steps can not run; at most 100.',
    ),
});

export type TemplateUsage = z.output<typeof templateUsageSchema>;
