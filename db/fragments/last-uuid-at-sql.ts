/** SQL: the highest UUIDv7 of the millisecond of an instant. */
export const lastUuidAtSql = (instant: string) =>
  `(lpad(to_hex(floor(extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || '${'f'.repeat(20)}')::uuid`;
