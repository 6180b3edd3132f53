import { z } from 'zod';
import { locales } from '../../core/messages/messages.ts';
import { projectRoles } from '../../core/project-roles.ts';
import { refusal } from '../../core/zod-issues.ts';
import { lineBreaks } from './mailbox.ts';
import { nullableText } from './nullable.ts';
import { brandFields } from './project-brand.ts';

export const projectSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    role: z.enum(projectRoles).describe("The caller's role in the project."),
    publicKey: z.string(),
    secretKey: z.string().optional().describe('Only for ADMIN and OWNER.'),
    disabled: z.boolean(),
    disabledReason: nullableText,
    suppressTransactional: z
      .boolean()
      .describe('Whether transactional email is also withheld from contacts that bounced or complained.'),
    brandColor: nullableText.describe(
      'Color of the buttons on public pages, `#rrggbb`; null for the default.',
    ),
    logoUrl: nullableText.describe('Shown on public pages in place of the name.'),
    footerAddress: nullableText.describe(
      'Postal address in the footer of MARKETING emails, with its line breaks.',
    ),
    language: z
      .enum(locales)
      .describe('Language of footers and public pages, for contacts whose `locale` is none of these.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

/** Part of the subject of account emails. */
const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => !lineBreaks.test(name), refusal('A name must be a single line'));

export const createProjectBodySchema = z.object({ name: nameSchema });

export const changeProjectBodySchema = z.object({
  name: nameSchema.optional(),
  suppressTransactional: z.boolean().optional(),
  ...brandFields,
});

export type ChangeProjectBody = z.output<typeof changeProjectBodySchema>;

export const projectListSchema = z.object({ data: z.array(projectSchema) });

export const apiKeysSchema = z.object({ publicKey: z.string(), secretKey: z.string() });
