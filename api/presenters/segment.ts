import { z } from 'zod';
import type { SegmentRow } from '../../db/entities/segment.ts';

export const segmentSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string().describe('Names its events, `segment.<slug>.entry` and `.exit`; stays on renaming.'),
    description: z.string().nullable(),
    type: z.enum(['DYNAMIC', 'STATIC']),
    condition: z.record(z.string(), z.unknown()).nullable().describe('As it was sent; null when STATIC.'),
    trackMembership: z.boolean(),
    memberCount: z.number().int().describe('As last counted; `POST /segments/:id/refresh` counts again.'),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Segment' });

export type SegmentAnswer = z.output<typeof segmentSchema>;

export function presentSegment(row: SegmentRow): SegmentAnswer {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description ?? null,
    type: row.type,
    condition: row.condition ?? null,
    trackMembership: row.trackMembership,
    memberCount: row.memberCount,
    projectId: row.projectId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
