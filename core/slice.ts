/** A bounded part of long work; another slice continues it. */
export interface Slice {
  signal?: AbortSignal | undefined;
  /** On the clock of `performance.now()`. */
  endsAt: number;
}

export const wholeWork: Slice = { endsAt: Number.POSITIVE_INFINITY };

export class SliceOver extends Error {
  override readonly name = 'SliceOver';
}

/**
 * For use after a committed batch, so that every slice makes progress, however long it takes to reach its position.
 *
 * @throws SliceOver once the slice has lasted long enough
 */
export function endWhenDue({ endsAt }: Slice): void {
  if (performance.now() > endsAt) throw new SliceOver();
}
