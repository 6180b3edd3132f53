const lastMs = 2 ** 48 - 1;

/** The lowest UUIDv7 of an instant: ids are in the order of their creation. */
export function lowestIdAt(instant: Date): string {
  const ms = Math.min(Math.max(instant.getTime(), 0), lastMs);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

export function instantOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
