import { p } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';

/** Primary key: a UUIDv7, so that new rows land at the right edge of the index. */
export const primaryId = () =>
  p
    .uuid()
    .primary()
    .onCreate(() => uuidv7());

/** An instant with millisecond precision, so that a filter on a returned value finds the row again. */
export const instant = () => p.datetime(3);

/** `created_at`, set once. */
export const createdAt = () =>
  instant()
    .onCreate(() => new Date())
    .defaultRaw('now()');

/** `updated_at`, set on each change that goes through the entity manager. */
export const updatedAt = () =>
  instant()
    .onCreate(() => new Date())
    .onUpdate(() => new Date())
    .defaultRaw('now()');
