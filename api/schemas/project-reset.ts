import { z } from 'zod';

const count = z.int().min(0).default(0);

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
