import { z } from 'zod';
import { projectSchema } from './answers/project.ts';
import { brandFields } from './project-brand.ts';

const nameSchema = z.string().trim().min(1).max(100);

export const createProjectBodySchema = z.object({ name: nameSchema });

export const changeProjectBodySchema = z.object({
  name: nameSchema.optional(),
  suppressTransactional: z.boolean().optional(),
  ...brandFields,
});

export const projectListSchema = z.object({ data: z.array(projectSchema) });

export const apiKeysSchema = z.object({ publicKey: z.string(), secretKey: z.string() });
