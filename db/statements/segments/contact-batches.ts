import { z } from 'zod';
import { contactsInTime, usualMs } from '../../../core/contacts-in-time.ts';
import { nilId } from '../../../core/nil-id.ts';
import type { Em } from '../../orm.ts';
import { type Bind, queryFirst } from '../../sql.ts';

export const contactsPerBatch = 20_000;

export interface ContactCursor {
  createdAt: string;
  id: string;
}

/** The last contact of a project's next batch by creation; null when the rest fits in one batch. */
export async function findBatchEnd(
  em: Em,
  projectId: string,
  after: ContactCursor | null,
  contacts = contactsPerBatch,
): Promise<ContactCursor | null> {
  const sql = `select created_at as "createdAt", id from contacts
     where project_id = $1 and (created_at, id) > ($2::timestamptz, $3::uuid)
     order by created_at, id limit 1 offset $4`;
  const parameters = [projectId, after?.createdAt ?? '-infinity', after?.id ?? nilId, contacts - 1];
  const row = await queryFirst(em, z.object({ createdAt: z.date(), id: z.uuid() }), sql, parameters);
  return row === undefined ? null : { createdAt: row.createdAt.toISOString(), id: row.id };
}

/** Contacts in a batch before the condition has been timed: an expensive one takes a tenth of a second for each. */
export const firstBatch = 50;
/**
 * How many contacts to take after a batch.
 *
 * @param most contacts that the batch could have
 * @param taken contacts that it had
 * @param tookMs of it
 */
export function nextBatch(most: number, taken: number, tookMs: number): number {
  // A small batch that was fast says nothing about a full one.
  if (taken < most && tookMs <= usualMs) return most;
  return Math.min(contactsPerBatch, contactsInTime(taken, tookMs));
}

export function boundsSql(after: ContactCursor | null, next: ContactCursor | null, bind: Bind): string {
  return [
    after === null ? '' : boundSql('>', after, bind),
    next === null ? '' : boundSql('<=', next, bind),
  ].join('');
}

/** The separate bound on `created_at` lets the planner use an index range, which the row comparison alone does not. */
function boundSql(operator: '>' | '<=', { createdAt, id }: ContactCursor, bind: Bind): string {
  const instant = `${bind(createdAt)}::timestamptz`;
  return ` and c.created_at ${operator === '>' ? '>=' : '<='} ${instant}
    and (c.created_at, c.id) ${operator} (${instant}, ${bind(id)}::uuid)`;
}
