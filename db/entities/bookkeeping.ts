import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant } from './columns.ts';

/** A used Idempotency-Key. `statusCode` is null while the first request runs. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  indexes: [{ name: 'idempotency_keys_expiry', properties: ['expiresAt'] }],
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    /** Method and path of the first request, such as `POST /v1/send`. */
    request: p.text(),
    /** Names the request that holds the claim. */
    token: p.uuid(),
    statusCode: p.smallint().nullable(),
    createdAt: createdAt(),
    expiresAt: instant(),
  },
});

/** Requests leased to processes from the budget of a minute; `subject` is a project id, a user or a client address. */
export const RateLimitWindow = defineEntity({
  name: 'RateLimitWindow',
  tableName: 'rate_limit_windows',
  properties: {
    subject: p.text().primary(),
    windowStart: instant().primary(),
    used: p.integer(),
  },
});

/**
 * A token bucket (GCRA): the instant at which its next email may leave. `key` is `account`, a project id, or a share of
 * one of them. One that was idle for longer than it saves is as good as none.
 */
export const Throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttles',
  properties: {
    key: p.text().primary(),
    nextFreeAt: p.datetime(6),
  },
});

/** Notifications of the provider that were applied, so that a repeat changes nothing. */
export const ProviderNotification = defineEntity({
  name: 'ProviderNotification',
  tableName: 'provider_notifications',
  indexes: [{ name: 'provider_notifications_received', properties: ['receivedAt'] }],
  properties: {
    id: p.uuid().primary(),
    receivedAt: instant().defaultRaw('now()'),
  },
});
