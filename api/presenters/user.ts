import type { User } from '../../db/entities/user.ts';
import type { UserAnswer } from '../schemas/answers/user.ts';

export function presentUser(user: User): UserAnswer {
  return {
    id: user.id,
    email: user.email,
    name: user.name ?? null,
    emailVerified: user.emailVerified,
    createdAt: user.createdAt.toISOString(),
  };
}
