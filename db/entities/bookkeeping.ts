import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant } from './columns.ts';

const IdempotencyKeySchema = defineEntity({
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

/** `statusCode` is null while the first request is still running. */
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);

const RateLimitWindowSchema = defineEntity({
  name: 'RateLimitWindow',
  tableName: 'rate_limit_windows',
  properties: {
    subject: p.text().primary(),
    windowStart: instant().primary(),
    used: p.integer(),
  },
});

/** Requests per minute leased to processes; `subject` is a project id, a user or a client address. */
export class RateLimitWindow extends RateLimitWindowSchema.class {}
RateLimitWindowSchema.setClass(RateLimitWindow);

const ThrottleSchema = defineEntity({
  name: 'Throttle',
  tableName: 'throttles',
  properties: {
    key: p.text().primary(),
    nextFreeAt: p.datetime(6),
  },
});

/**
 * A token bucket (GCRA): when its next email may leave. `key` is `account`, a project id, or a share of either. A
 * bucket idle for longer than its burst is equivalent to no row.
 */
export class Throttle extends ThrottleSchema.class {}
ThrottleSchema.setClass(Throttle);

const ProviderNotificationSchema = defineEntity({
  name: 'ProviderNotification',
  tableName: 'provider_notifications',
  indexes: [{ name: 'provider_notifications_received', properties: ['receivedAt'] }],
  properties: {
    id: p.uuid().primary(),
    receivedAt: instant().defaultRaw('now()'),
  },
});

/** Used only by versions before 2026-11-23. Empty 30 days after the upgrade; drop it then. */
export class ProviderNotification extends ProviderNotificationSchema.class {}
ProviderNotificationSchema.setClass(ProviderNotification);

const HandledNotificationSchema = defineEntity({
  name: 'HandledNotification',
  tableName: 'handled_notifications',
  properties: {
    id: p.uuid().primary(),
    publishedOn: p.date().primary(),
  },
});

/**
 * A provider notification that was applied. Partitioned by its day of publication (UTC), which is the same for all of
 * its deliveries.
 */
export class HandledNotification extends HandledNotificationSchema.class {}
HandledNotificationSchema.setClass(HandledNotification);
