import type { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { decodeCursor } from '../../core/pagination/cursor.ts';

/** @throws DomainError `BAD_REQUEST` for anything but a cursor of the list that `schema` describes */
export function readCursor<Position>(
  cursor: string | undefined,
  schema: z.ZodType<Position>,
  suggestion = 'Pass the cursor of the previous page, or leave it out.',
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor, schema);
  if (position !== undefined) return position;
  throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', { suggestion });
}
