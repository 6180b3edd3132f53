import { z } from 'zod';
import { roles } from '../../db/entities/membership.ts';
import type { PendingInvitation } from '../../db/repositories/accounts/invitations.ts';
import type { MemberRow } from '../../db/repositories/accounts/memberships.ts';
import { addressSchema } from './user.ts';

export const memberSchema = z
  .object({
    userId: z.uuid(),
    email: addressSchema,
    name: z.string().nullable(),
    role: z.enum(roles),
    createdAt: z.iso.datetime().describe('Since when the person is a member.'),
  })
  .meta({ id: 'Member' });

export const invitationSchema = z
  .object({ id: z.uuid(), email: addressSchema, role: z.enum(roles), expiresAt: z.iso.datetime() })
  .meta({ id: 'Invitation' });

export function presentMember(member: MemberRow): z.output<typeof memberSchema> {
  return { ...member, createdAt: member.createdAt.toISOString() };
}

export function presentInvitation(invitation: PendingInvitation): z.output<typeof invitationSchema> {
  return { ...invitation, expiresAt: invitation.expiresAt.toISOString() };
}
