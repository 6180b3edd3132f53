import { z } from 'zod';
import type { ProjectReset } from '../../db/repositories/projects/project-erasures.ts';

const kinds = [
  'contacts',
  'emails',
  'events',
  'templates',
  'segments',
  'campaigns',
  'workflows',
  'jobs',
] as const;
const count = z.int().min(0);

/** How many of each are gone. */
export const deletedSchema = z.object({
  contacts: count,
  emails: count,
  events: count,
  templates: count,
  segments: count,
  campaigns: count,
  workflows: count,
  jobs: count,
});

export const projectResetSchema = z
  .object({
    id: z.uuid(),
    status: z.enum(['running', 'completed']),
    deleted: deletedSchema.describe('So far.'),
    startedAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ProjectReset' });

export function presentProjectReset({
  id,
  startedAt,
  erasedAt,
  done,
}: ProjectReset): z.output<typeof projectResetSchema> {
  return {
    id,
    status: erasedAt === null ? 'running' : 'completed',
    deleted: deletedSchema.parse(Object.fromEntries(kinds.map((kind) => [kind, done[kind] ?? 0]))),
    startedAt: startedAt.toISOString(),
    completedAt: erasedAt?.toISOString() ?? null,
  };
}
