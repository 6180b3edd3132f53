/** SQL: the lowest UUIDv7 of an instant, to select rows by age through the index on their ids. */
export const uuidAtSql = (secondsAgo: string) =>
  `(lpad(to_hex((extract(epoch from now() - make_interval(secs => ${secondsAgo})) * 1000)::bigint), 12, '0')
    || '00000000000000000000')::uuid`;
