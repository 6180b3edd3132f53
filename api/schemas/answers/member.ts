import { z } from 'zod';
import { projectRoles } from '../../../core/project-roles.ts';
import { addressSchema } from './user.ts';

export const memberSchema = z
  .object({
    userId: z.uuid(),
    email: addressSchema,
    name: z.string().nullable(),
    role: z.enum(projectRoles),
    createdAt: z.iso.datetime().describe('When the person became a member.'),
  })
  .meta({ id: 'Member' });

export const invitationSchema = z
  .object({ id: z.uuid(), email: addressSchema, role: z.enum(projectRoles), expiresAt: z.iso.datetime() })
  .meta({ id: 'Invitation' });
