import { z } from 'zod';
import { contentTypes } from '../../../core/content-types.ts';

export const contentTypeSchema = z.enum(contentTypes);

export const contentShape = {
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  subject: z.string(),
  body: z.string(),
  from: z.string(),
  fromName: z.string().nullable(),
  replyTo: z.string().nullable(),
  type: contentTypeSchema,
};

export const templateSchema = z
  .object({ ...contentShape, projectId: z.uuid(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Template' });

export const listedTemplateSchema = templateSchema
  .extend({ body: contentShape.body.optional() })
  .meta({ id: 'ListedTemplate' });

export const templateUsesSchema = z.object({
  data: z.array(
    z.object({
      templateId: z.uuid(),
      workflows: z
        .number()
        .int()
        .describe('Workflows that send it, as listed by `GET /templates/:id/usage`.'),
    }),
  ),
});

export const templateUsageSchema = z
  .object({
    campaigns: z.array(z.object({ id: z.uuid(), name: z.string(), status: z.string() })),
    workflowSteps: z.array(
      z.object({ workflowId: z.uuid(), workflowName: z.string(), stepId: z.uuid(), stepName: z.string() }),
    ),
    workflowVersions: z
      .array(z.object({ workflowId: z.uuid(), workflowName: z.string(), version: z.number().int() }))
      .describe('Earlier versions that send it and still have active or new executions; at most 100.'),
  })
  .meta({ id: 'TemplateUsage' });
