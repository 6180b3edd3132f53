import type { Loaded } from '@mikro-orm/core';
import type { z } from 'zod';
import type { Invitation } from '../../db/entities/invitation.ts';
import type { Membership } from '../../db/entities/membership.ts';
import type { invitationSchema, memberSchema } from '../schemas/answers/member.ts';

export function presentMember({
  user,
  role,
  createdAt,
}: Loaded<Membership, 'user'>): z.output<typeof memberSchema> {
  const { id: userId, email, name } = user;
  return { userId, email, name: name ?? null, role, createdAt: createdAt.toISOString() };
}

export function presentInvitation({
  id,
  email,
  role,
  expiresAt,
}: Invitation): z.output<typeof invitationSchema> {
  return { id, email, role, expiresAt: expiresAt.toISOString() };
}
