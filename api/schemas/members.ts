import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { projectRoles } from '../../core/project-roles.ts';
import { invitationSchema, memberSchema } from './answers/member.ts';

const roleSchema = z.enum(projectRoles);

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
