import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { contentTypes } from '../../core/content-types.ts';
import { maxTemplateBytes } from '../../core/rendering/template.ts';
import { refusal } from '../../core/zod-issues.ts';
import { displayNameSchema, lineBreaks } from './mailbox.ts';

/** A Liquid template on one line: line breaks could inject a header. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(998)
  .refine((subject) => !lineBreaks.test(subject), refusal('A subject must be a single line'));

export const htmlBodySchema = z
  .string()
  .min(1)
  .refine(
    (body) => Buffer.byteLength(body) <= maxTemplateBytes,
    refusal(`A body has at most ${maxTemplateBytes / 1024} KB`, 'too_big'),
  )
  .describe('HTML with Liquid placeholders, at most 512 KB.');

export const contentTypeSchema = z.enum(contentTypes);

/** Of templates and campaigns, in answers. */
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

export const maxContentNameLength = 255;

/** As they are sent. Null and empty text both mean "not set". */
export const contentFields = {
  name: z.string().max(maxContentNameLength).regex(/\S/, 'Expected a name'),
  description: z.string().max(2000).nullish().describe('A note for yourself.'),
  subject: subjectSchema,
  body: htmlBodySchema,
  from: emailAddressSchema,
  fromName: displayNameSchema.nullish(),
  replyTo: z.union([emailAddressSchema, z.literal('')]).nullish(),
};

export const draftSubjectSchema = z.union([z.literal(''), subjectSchema]);
export const draftBodySchema = z.union([z.literal(''), htmlBodySchema]);
