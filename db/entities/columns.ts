import { p } from '@mikro-orm/core';
import { contentTypes } from '../../core/content-types.ts';
import { newId } from '../../core/new-id.ts';

/** UUIDv7, so that inserts go to the right edge of the index. */
export const primaryId = () =>
  p
    .uuid()
    .primary()
    .onCreate(() => newId());

/** Millisecond precision, as in a JavaScript `Date`: filtering by a returned value finds the row. */
export const instant = () => p.datetime(3);

/** Set by the database's clock, because resetting a project compares with it. */
export const createdAt = () => instant().defaultRaw('now()');

/** Each flushed change moves it forward by at least a millisecond, so it identifies a version of the record. */
export const updatedAt = () =>
  instant()
    .onUpdate(({ updatedAt }: { updatedAt?: Date }) => laterThan(updatedAt))
    .defaultRaw('now()');

export const laterThan = (before: Date | undefined) =>
  new Date(Math.max(Date.now(), before === undefined ? 0 : before.getTime() + 1));

export const contentColumns = () => ({
  id: primaryId(),
  projectId: p.uuid(),
  name: p.text(),
  description: p.text().nullable(),
  subject: p.text(),
  body: p.text(),
  fromEmail: p.text(),
  fromName: p.text().nullable(),
  replyTo: p.text().nullable(),
  type: p.enum(contentTypes),
});
