import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import {
  type EmailProblemCode,
  emailProblems,
  problemSeverities,
} from '../../core/email-checks/email-problems.ts';
import { idSchema } from '../../core/id-schema.ts';
import { contactDataSchema } from './contact-data.ts';
import { contentTypeSchema, draftBodySchema, draftSubjectSchema } from './email-content.ts';
import { brandFields } from './project-brand.ts';
import { workflowContextSchema } from './workflow-context.ts';

export const previewEmailBodySchema = z.object({
  subject: draftSubjectSchema,
  body: draftBodySchema,
  type: contentTypeSchema.default('MARKETING'),
  from: z
    .union([emailAddressSchema, z.literal('')])
    .nullish()
    .describe('To check its domain; without it that check is left out.'),
  contactId: idSchema.nullish().describe('The contact to render for.'),
  email: emailAddressSchema
    .nullish()
    .describe('An address to render for; its contact is used if it has one.'),
  data: contactDataSchema.optional().describe('Overrides the fields of the contact.'),
  event: workflowContextSchema
    .optional()
    .describe('Sample of the data of the event that starts a workflow: `{{ event.… }}` of its emails.'),
  context: workflowContextSchema
    .optional()
    .describe('Sample of the variables of an execution: `{{ context.… }}` of its emails.'),
  brand: z
    .object({ footerAddress: brandFields.footerAddress, language: brandFields.language })
    .optional()
    .describe('Replaces the project settings, to preview them before saving.'),
});

export type PreviewEmailBody = z.output<typeof previewEmailBodySchema>;

const problemSchema = z.object({
  // as: the keys of a constant.
  code: z.enum(Object.keys(emailProblems) as EmailProblemCode[]),
  severity: z
    .enum(problemSeverities)
    .describe("`error`: it can't be sent like this; `warning`: recipients notice; `info`: good to know."),
  message: z.string(),
  field: z.enum(['subject', 'body']).optional(),
  line: z.number().int().optional().describe('From 1, in the field as sent, when the place is known.'),
  column: z.number().int().optional(),
});

export const emailPreviewSchema = z
  .object({
    subject: z.string(),
    html: z.string().describe('Empty while the body does not parse.'),
    text: z.string(),
    sizeBytes: z.number().int().describe('Size of the HTML.'),
    headers: z.record(z.string(), z.string()).describe('Headers that the content type adds.'),
    problems: z.array(problemSchema).describe('Errors first.'),
  })
  .meta({ id: 'EmailPreview' });

export const testEmailBodySchema = z.object({ email: emailAddressSchema });

export const testEmailAnswerSchema = z.object({ success: z.literal(true), message: z.string() });
