import { z } from 'zod';
import { segmentTypes } from '../../../core/segments/segment-types.ts';
import { storedConditionSchema } from './condition.ts';

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
    memberCount: z.number().int().describe('The last count; `POST /segments/:id/refresh` recounts.'),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });
