const timeSql = (instant: string) =>
  `lpad(to_hex(floor(extract(epoch from ${instant}) * 1000)::bigint), 12, '0')`;

export const firstUuidAtSql = (instant: string) => `(${timeSql(instant)} || '${'0'.repeat(20)}')::uuid`;

export const lastUuidAtSql = (instant: string) => `(${timeSql(instant)} || '${'f'.repeat(20)}')::uuid`;
