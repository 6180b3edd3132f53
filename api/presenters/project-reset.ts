import type { z } from 'zod';
import type { ProjectErasure } from '../../db/entities/project-security.ts';
import { deletedSchema, type projectResetSchema } from '../schemas/answers/project-reset.ts';

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

export function presentProjectReset(reset: ProjectErasure): z.output<typeof projectResetSchema> {
  return {
    id: reset.id,
    status: reset.isErased() ? 'completed' : 'running',
    deleted: deletedSchema.parse(Object.fromEntries(kinds.map((kind) => [kind, reset.done[kind] ?? 0]))),
    startedAt: reset.createdAt.toISOString(),
    completedAt: reset.erasedAt?.toISOString() ?? null,
  };
}
