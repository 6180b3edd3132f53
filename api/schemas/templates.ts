import { z } from 'zod';
import { contentFields, contentShape, contentTypeSchema } from './email-content.ts';
import { offsetOrderSchema, offsetPageSchema, offsetQuerySchema, withBodySchema } from './pagination.ts';

export const templateSchema = z
  .object({ ...contentShape, projectId: z.uuid(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Template' });

const listedTemplateSchema = templateSchema
  .extend({ body: contentShape.body.optional() })
  .meta({ id: 'ListedTemplate' });

export const templateUsesSchema = z.object({
  data: z.array(
    z.object({
      templateId: z.uuid(),
      workflows: z.int().describe('Workflows that send it, as listed by `GET /templates/:id/usage`.'),
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
      .array(z.object({ workflowId: z.uuid(), workflowName: z.string(), version: z.int() }))
      .describe('Earlier versions that send it and still have active or new executions; at most 100.'),
  })
  .meta({ id: 'TemplateUsage' });

export const listTemplatesQuerySchema = offsetQuerySchema.extend({
  ...offsetOrderSchema.shape,
  ...withBodySchema.shape,
  type: contentTypeSchema.optional(),
  search: z.string().max(998).optional().describe('Part of the name, the description or the subject.'),
});

export type ListTemplatesQuery = z.output<typeof listTemplatesQuerySchema>;

export const templatePageSchema = offsetPageSchema(listedTemplateSchema);

const { name, subject, body, from, ...optionalFields } = contentFields;
const requiredFields = z.object({ name, subject, body, from });

export const createTemplateBodySchema = requiredFields
  .extend(optionalFields)
  .extend({ type: contentTypeSchema.default('MARKETING') });

export const patchTemplateBodySchema = requiredFields
  .extend({ type: contentTypeSchema })
  .partial()
  .extend(optionalFields);

export type CreateTemplateBody = z.output<typeof createTemplateBodySchema>;
export type PatchTemplateBody = z.output<typeof patchTemplateBodySchema>;
