import { z } from 'zod';
import { DomainError, notFound } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import { suppressionReasons } from '../../core/suppression-reasons.ts';
import { Contact } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import {
  countSuppressions,
  listSuppressions,
  type SuppressionPosition,
  type SuppressionRow,
} from '../../db/statements/contacts/list-suppressions.ts';
import type { ListSuppressionsQuery } from '../schemas/suppressions.ts';

const positionSchema = z.tuple([z.literal('suppressedAt'), cursorInstant, z.uuid(), z.string()]);

function readPosition(cursor: string | undefined): SuppressionPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', {
      suggestion: 'Pass the cursor of the previous page, or leave it out.',
    });
  }
  const [, suppressedAt, contactId, email] = position;
  return { suppressedAt, contactId, email };
}

function cursorAfter({ suppressedAt, contactId, email }: SuppressionRow): string {
  return encodeCursor(['suppressedAt', suppressedAt.toISOString(), contactId, email]);
}

/**
 * Contacts that receive no marketing email after a hard bounce or a complaint. `list` throws DomainError `BAD_REQUEST`
 * for a cursor from another list; `lift` throws `NOT_FOUND` when the address is not suppressed.
 */
export function createSuppressionsService(orm: Orm) {
  return {
    async list(projectId: string, { cursor, reason, search, limit }: ListSuppressionsQuery) {
      const after = readPosition(cursor);
      const filter = { reasons: reason === undefined ? suppressionReasons : [reason], search };
      const [found, total] = await Promise.all([
        listSuppressions(orm.em.fork(), projectId, filter, after, limit + 1),
        after === undefined ? countSuppressions(orm.em.fork(), projectId, filter) : 0,
      ]);
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      return { rows, cursor: last ? cursorAfter(last) : null, total };
    },

    async lift(projectId: string, email: string) {
      // Leaves the subscription unchanged: lifting a suppression is not consent.
      const lifted = await orm.em
        .fork()
        .nativeUpdate(
          Contact,
          { projectId, email, suppressionReason: { $ne: null } },
          { suppressionReason: null, suppressedAt: null, suppressedEmailId: null, updatedAt: new Date() },
        );
      if (lifted === 0) throw notFound('Suppression');
    },
  };
}
