import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { projectRoles } from '../../core/project-roles.ts';
import { addressSchema } from './auth.ts';

const roleSchema = z.enum(projectRoles);

export const memberSchema = z
  .object({
    userId: z.uuid(),
    email: addressSchema,
    name: z.string().nullable(),
    role: roleSchema,
    createdAt: z.iso.datetime().describe('When the person became a member.'),
  })
  .meta({ id: 'Member' });

export const invitationSchema = z
  .object({ id: z.uuid(), email: addressSchema, role: roleSchema, expiresAt: z.iso.datetime() })
  .meta({ id: 'Invitation' });

export const inviteMemberBodySchema = z.object({ email: emailAddressSchema, role: roleSchema });

export const changeRoleBodySchema = z.object({ role: roleSchema });

export const memberListSchema = z.object({
  data: z.array(memberSchema),
  invitations: z.array(invitationSchema),
});

export const invitedSchema = z.object({
  member: memberSchema.nullable(),
  invitation: invitationSchema.nullable(),
});
