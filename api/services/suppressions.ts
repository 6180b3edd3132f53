import { z } from 'zod';
import { notFound } from '../../core/errors.ts';
import { cursorInstant, encodeCursor } from '../../core/pagination/cursor.ts';
import { suppressionReasons } from '../../core/suppression-reasons.ts';
import type { Total } from '../../db/count-or-estimate.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import {
  countSuppressions,
  listSuppressions,
  type SuppressionRow,
} from '../../db/statements/contacts/list-suppressions.ts';
import type { ListSuppressionsQuery } from '../schemas/suppressions.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';

const positionSchema = z
  .tuple([z.literal('suppressedAt'), cursorInstant, z.uuid(), z.string()])
  .transform(([, suppressedAt, contactId, email]) => ({ suppressedAt, contactId, email }));

const notCounted: Total = { total: 0, totalAccuracy: 'minimum' };

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
      const after = readCursor(cursor, positionSchema);
      const filter = { reasons: reason === undefined ? suppressionReasons : [reason], search };
      const found = await listSuppressions(orm.em.fork(), projectId, filter, after, limit + 1);
      const { rows, isFull, next = null } = toScannedPage({ rows: found }, limit, cursorAfter);
      if (after !== undefined) return { rows, cursor: next, ...notCounted };
      // A page that is not full needs no count, and the total always agrees with it.
      if (!isFull) return { rows, cursor: next, total: rows.length, totalAccuracy: 'exact' as const };
      return { rows, cursor: next, ...(await countSuppressions(orm.em.fork(), projectId, filter)) };
    },

    async lift(projectId: string, email: string) {
      const isLifted = await projectEm(orm, projectId).getRepository(Contact).liftSuppression(email);
      if (!isLifted) throw notFound('Suppression');
    },
  };
}
