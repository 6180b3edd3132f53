import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId } from './columns.ts';

export const linkPurposes = ['verify-email', 'reset-password'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/**
 * A link that an answer has promised to an address, which may have no account. The row is deleted in the transaction
 * that queues the link.
 */
export const LinkRequest = defineEntity({
  name: 'LinkRequest',
  tableName: 'link_requests',
  indexes: [
    { name: 'link_requests_due', properties: ['nextAttemptAt', 'id'] },
    { name: 'link_requests_address', properties: ['email', 'purpose', 'id'] },
  ],
  properties: {
    id: primaryId(),
    email: p.text(),
    purpose: p.enum(linkPurposes),
    language: p.text(),
    nextAttemptAt: instant().defaultRaw('now()'),
    createdAt: createdAt(),
  },
});
