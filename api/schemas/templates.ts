import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { offsetPageSchema } from './answers/offset-page.ts';
import { contentTypeSchema, listedTemplateSchema } from './answers/template.ts';
import { htmlBodySchema, subjectSchema } from './email-content.ts';
import { displayNameSchema } from './mailbox.ts';
import { offsetOrderSchema, offsetQuerySchema, withBodySchema } from './pagination.ts';

export const maxTemplateNameLength = 255;

export const listTemplatesQuerySchema = offsetQuerySchema.extend({
  ...offsetOrderSchema.shape,
  ...withBodySchema.shape,
  type: contentTypeSchema.optional(),
  search: z.string().max(998).optional().describe('Part of the name, the description or the subject.'),
});

export type ListTemplatesQuery = z.output<typeof listTemplatesQuerySchema>;

export const templatePageSchema = offsetPageSchema(listedTemplateSchema);

const nameSchema = z.string().max(maxTemplateNameLength).regex(/\S/, 'Expected a name');

/** Null and empty text both mean "not set". */
const optionalFields = z.object({
  description: z.string().max(2000).nullish().describe('A note for yourself.'),
  fromName: displayNameSchema.nullish(),
  replyTo: z.union([emailAddressSchema, z.literal('')]).nullish(),
});

const requiredFields = z.object({
  name: nameSchema,
  subject: subjectSchema,
  body: htmlBodySchema,
  from: emailAddressSchema,
});

export const createTemplateBodySchema = requiredFields
  .extend(optionalFields.shape)
  .extend({ type: contentTypeSchema.default('MARKETING') });

export const patchTemplateBodySchema = requiredFields
  .extend({ type: contentTypeSchema })
  .partial()
  .extend(optionalFields.shape);

export type CreateTemplateBody = z.output<typeof createTemplateBodySchema>;
export type PatchTemplateBody = z.output<typeof patchTemplateBodySchema>;
