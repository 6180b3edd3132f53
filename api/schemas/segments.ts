import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { contactSchema } from '../presenters/contact.ts';
import { offsetPageSchema } from './pagination.ts';

const maxMembersPerCall = 500;

const nameSchema = z.string().trim().min(1).max(100);
const descriptionSchema = z.string().max(500).nullable();
const typeSchema = z.enum(['DYNAMIC', 'STATIC']);
/** Checked by `readCondition`, which names the path of everything that is wrong. */
const conditionSchema = z.unknown().meta({ type: ['object', 'null'] });

export const createSegmentBodySchema = z
  .object({
    name: nameSchema,
    description: descriptionSchema.optional(),
    type: typeSchema.default('DYNAMIC'),
    condition: conditionSchema
      .optional()
      .describe('The condition tree; required when DYNAMIC, ignored when STATIC.'),
    trackMembership: z
      .boolean()
      .default(false)
      .describe('Emit `segment.<slug>.entry` and `segment.<slug>.exit` when contacts join and leave.'),
  })
  .refine(({ type, condition }) => type === 'STATIC' || condition !== undefined, {
    path: ['condition'],
    message: 'condition is required for a dynamic segment',
    // Beside other faults as well: what is missing comes first.
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

export const patchSegmentBodySchema = z.object({
  name: nameSchema.optional(),
  description: descriptionSchema.optional().describe('`null` removes it.'),
  type: typeSchema.optional().describe('Cannot change; the present type is accepted.'),
  condition: conditionSchema.optional().describe('Replaces the whole condition tree; DYNAMIC only.'),
  trackMembership: z.boolean().optional(),
});

const emailsSchema = z.array(emailAddressSchema).min(1).max(maxMembersPerCall);

export const addMembersBodySchema = z.object({
  emails: emailsSchema,
  createMissing: z.boolean().default(false).describe('Create a contact for each unknown address.'),
  subscribed: z.boolean().default(true).describe('Of the contacts that are created.'),
});

export const removeMembersBodySchema = z.object({ emails: emailsSchema });

export const addedMembersSchema = z.object({
  added: z.number().int().describe('Contacts that were no members before, created ones included.'),
  created: z.number().int(),
  notFound: z.array(z.string()).describe('Addresses of no contact.'),
});

export const removedMembersSchema = z.object({
  removed: z.number().int().describe('Contacts that were members.'),
  notFound: z.array(z.string()).describe('Addresses of no contact.'),
});

export const segmentContactsSchema = offsetPageSchema(contactSchema);

export const computationSchema = z.object({
  added: z.number().int(),
  removed: z.number().int(),
  total: z.number().int().describe('Members after the computation.'),
});

export const memberCountSchema = z.object({ memberCount: z.number().int() });

export type CreateSegmentBody = z.output<typeof createSegmentBodySchema>;
export type PatchSegmentBody = z.output<typeof patchSegmentBodySchema>;
export type AddMembersBody = z.output<typeof addMembersBodySchema>;
