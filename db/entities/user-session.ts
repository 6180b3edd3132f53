import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';
import { User } from './user.ts';

const UserSessionSchema = defineEntity({
  name: 'UserSession',
  tableName: 'sessions',
  indexes: [
    { name: 'sessions_user', properties: ['user', 'id'] },
    { name: 'sessions_expiry', properties: ['expiresAt'] },
  ],
  properties: {
    id: primaryId(),
    user: () => p.manyToOne(User).updateRule('no action').deleteRule('cascade'),
    /** The user's `sessionVersion` at sign-in; the session ends when they differ. */
    version: p.integer(),
    browser: p.text().nullable(),
    system: p.text().nullable(),
    /** Accurate to ten minutes, so that most requests write nothing. */
    lastUsedAt: instant().defaultRaw('now()'),
    expiresAt: instant(),
    createdAt: createdAt(),
  },
});

/** A sign-in. The token contains its id and is refused once the row is gone. */
export class UserSession extends UserSessionSchema.class {}
UserSessionSchema.setClass(UserSession);
