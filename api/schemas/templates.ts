import { z } from 'zod';
import { offsetPageSchema } from './answers/offset-page.ts';
import { contentTypeSchema, listedTemplateSchema } from './answers/template.ts';
import { contentFields } from './email-content.ts';
import { offsetOrderSchema, offsetQuerySchema, withBodySchema } from './pagination.ts';

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
