import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { segmentTypes } from '../../core/segments/segment-types.ts';
import { sentConditionSchema, storedConditionSchema } from './conditions.ts';
import { contactSchema } from './contacts.ts';
import { largePageSchema } from './pagination.ts';

export const segmentSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z
      .string()
      .describe('Part of its event names, `segment.<slug>.entry` and `.exit`; does not change on renaming.'),
    description: z.string().nullable(),
    type: z.enum(segmentTypes),
    condition: storedConditionSchema.nullable().describe('As it was sent; null when STATIC.'),
    trackMembership: z.boolean(),
    memberCount: z.int().describe('The last count; `POST /segments/:id/refresh` recounts.'),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });

export const segmentOfContactSchema = segmentSchema.pick({ id: true, name: true, type: true });

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
  added: z.int().describe('New members, including contacts that were created.'),
  created: z.int(),
  notFound: z.array(z.string()).describe('Addresses without a contact.'),
});

export const removedMembersSchema = z.object({
  removed: z.int().describe('Members that were removed.'),
  notFound: z.array(z.string()).describe('Addresses without a contact.'),
});

export const segmentContactsSchema = largePageSchema(contactSchema);

export const computationSchema = z.object({
  added: z.int(),
  removed: z.int(),
  total: z.int().describe('Members after the computation.'),
});

/** The service requires a condition and reports the path of every issue. */
export const previewSegmentBodySchema = z.object({ condition: sentConditionSchema.optional() });

export const segmentPreviewSchema = z.object({
  count: z.int(),
  sample: z.array(contactSchema).describe('The newest of them, 10 at most.'),
});

export const memberCountSchema = z.object({ memberCount: z.int() });

export type CreateSegmentBody = z.output<typeof createSegmentBodySchema>;
export type PatchSegmentBody = z.output<typeof patchSegmentBodySchema>;
export type AddMembersBody = z.output<typeof addMembersBodySchema>;
