import { z } from 'zod';
import { DomainError, notFound } from '../../core/errors.ts';
import { cursorInstant, decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { Orm } from '../../db/orm.ts';
import {
  countSuppressions,
  liftSuppression,
  listSuppressions,
  type SuppressionPosition,
  type SuppressionRow,
} from '../../db/repositories/contacts/suppressions.ts';
import type { ListSuppressionsQuery } from '../schemas/suppressions.ts';

export interface SuppressionPage {
  rows: SuppressionRow[];
  cursor: string | null;
  /** Of all pages, on the first page only; 0 on later ones. */
  total: number;
}

export interface SuppressionsService {
  /** @throws DomainError `BAD_REQUEST` for a cursor that is not of this list */
  list(projectId: string, query: ListSuppressionsQuery): Promise<SuppressionPage>;
  /** @throws DomainError `NOT_FOUND` for an address that is not suppressed */
  lift(projectId: string, email: string): Promise<void>;
}

const positionSchema = z.tuple([z.literal('suppressedAt'), cursorInstant, z.uuid()]);

function readPosition(cursor: string | undefined): SuppressionPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor<[string, string, string]>(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not one of this list', {
      suggestion: 'Pass back the cursor of the page before, or leave it out.',
    });
  }
  return { suppressedAt: position[1], contactId: position[2] };
}

/** Who gets no marketing after a hard bounce or a complaint. */
export function createSuppressionsService(orm: Orm): SuppressionsService {
  return {
    async list(projectId, { cursor, reason, limit }) {
      const after = readPosition(cursor);
      const [found, total] = await Promise.all([
        listSuppressions(orm.em.fork(), projectId, reason, after, limit + 1),
        after === undefined ? countSuppressions(orm.em.fork(), projectId, reason) : 0,
      ]);
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const next = last && encodeCursor(['suppressedAt', last.suppressedAt.toISOString(), last.contactId]);
      return { rows, cursor: next ?? null, total };
    },

    async lift(projectId, email) {
      if (!(await liftSuppression(orm.em.fork(), projectId, email, new Date())))
        throw notFound('Suppression');
    },
  };
}
