import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { segmentTypes } from '../../core/segments/segment-types.ts';
import { sentConditionSchema } from './answers/condition.ts';
import { contactSchema } from './answers/contact.ts';
import { largePageSchema } from './answers/offset-page.ts';

const maxMembersPerCall = 500;

const nameSchema = z.string().trim().min(1).max(100);
const descriptionSchema = z.string().max(500).nullable();
const typeSchema = z.enum(segmentTypes);

export const createSegmentBodySchema = z
  .object({
    name: nameSchema,
    description: descriptionSchema.optional(),
    type: typeSchema.default('DYNAMIC'),
    condition: sentConditionSchema
      .nullish()
      .describe('The condition tree; required when DYNAMIC, ignored when STATIC.'),
    trackMembership: z
      .boolean()
      .default(false)
      .describe('Emit `segment.<slug>.entry` and `segment.<slug>.exit` when contacts join and leave.'),
  })
  .refine(({ type, condition }) => type === 'STATIC' || condition !== undefined, {
    path: ['condition'],
    message: 'condition is required for a dynamic segment',
    // Also runs beside other issues: a missing field takes precedence over them.
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

export const patchSegmentBodySchema = z.object({
  name: nameSchema.optional(),
  description: descriptionSchema.optional().describe('`null` removes it.'),
  type: typeSchema.optional().describe("Can't be changed; the current type is accepted."),
  condition: sentConditionSchema.nullish().describe('Replaces the whole condition tree; DYNAMIC only.'),
  trackMembership: z.boolean().optional(),
});

const emailsSchema = z.array(emailAddressSchema).min(1).max(maxMembersPerCall);

export const addMembersBodySchema = z.object({
  emails: emailsSchema,
  createMissing: z.boolean().default(false).describe('Create a contact for each unknown address.'),
  subscribed: z.boolean().default(true).describe('Subscription of the contacts created.'),
});

export const removeMembersBodySchema = z.object({ emails: emailsSchema });

export const addedMembersSchema = z.object({
  added: z.number().int().describe('New members, including contacts that were created.'),
  created: z.number().int(),
  notFound: z.array(z.string()).describe('Addresses without a contact.'),
});

export const removedMembersSchema = z.object({
  removed: z.number().int().describe('Members that were removed.'),
  notFound: z.array(z.string()).describe('Addresses without a contact.'),
});

export const segmentContactsSchema = largePageSchema(contactSchema);

export const computationSchema = z.object({
  added: z.number().int(),
  removed: z.number().int(),
  total: z.number().int().describe('Members after the computation.'),
});

/** The service requires a condition and reports the path of every issue. */
export const previewSegmentBodySchema = z.object({ condition: sentConditionSchema.optional() });

export const segmentPreviewSchema = z.object({
  count: z.number().int(),
  sample: z.array(contactSchema).describe('The newest of them, 10 at most.'),
});

export const memberCountSchema = z.object({ memberCount: z.number().int() });

export type CreateSegmentBody = z.output<typeof createSegmentBodySchema>;
export type PatchSegmentBody = z.output<typeof patchSegmentBodySchema>;
export type AddMembersBody = z.output<typeof addMembersBodySchema>;
