export interface ContactOrder {
  by: 'email' | 'createdAt';
  direction: 'asc' | 'desc';
}

/** A contact's place in an order: its address or ISO 8601 instant, and its id. */
export interface ContactPosition {
  value: string;
  id: string;
}

export const positionOf = (
  { by }: ContactOrder,
  { id, email, createdAt }: { id: string; email: string; createdAt: Date },
): ContactPosition => ({ value: by === 'email' ? email : createdAt.toISOString(), id });

/** Addresses are unique within a project, so an index on them alone serves pages by address. */
export function orderSql({ by, direction }: ContactOrder): string {
  return by === 'email' ? `order by email ${direction}` : `order by created_at ${direction}, id ${direction}`;
}

type Side = 'behind' | 'upTo';

/** Condition for the contacts behind a position, or up to and including it; empty without a position. */
export function sideSql(
  { by, direction }: ContactOrder,
  side: Side,
  position: ContactPosition | undefined,
  parameters: unknown[],
): string {
  if (position === undefined) return '';
  const isForward = (direction === 'asc') === (side === 'behind');
  const comparison = `${isForward ? '>' : '<'}${side === 'upTo' ? '=' : ''}`;
  parameters.push(position.value);
  const value = `$${parameters.length}`;
  if (by === 'email') return ` and email ${comparison} ${value}::text`;
  parameters.push(position.id);
  return ` and (created_at, id) ${comparison} (${value}::timestamptz, $${parameters.length}::uuid)`;
}
