import type { Loaded } from '@mikro-orm/core';
import type { Membership } from '../../db/entities/membership.ts';
import { memberSchema } from '../schemas/answers/member.ts';
import { present } from './present.ts';

export function presentMember({ user, role, createdAt }: Loaded<Membership, 'user'>) {
  return present(memberSchema, { ...user, userId: user.id, role, createdAt });
}
