import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant } from './columns.ts';

/** `statusCode` is null while the first request is still running. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  indexes: [{ name: 'idempotency_keys_expiry', properties: ['expiresAt'] }],
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    request: p.text(),
    token: p.uuid(),
    statusCode: p.smallint().nullable(),
    createdAt: createdAt(),
    expiresAt: instant(),
  },
});
