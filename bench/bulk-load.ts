import pg from 'pg';

/** A pseudorandom number below 1, the same in each run; different `salt`s give independent numbers for one `n`. */
export const random = (n: string, salt: number) =>
  `((hashint8extended(${n}, ${salt}) & 1073741823)::float8 / 1073741824)`;

/** The lanes take turns with the batches, so that rows are almost in order. */
export async function inBatches<Lane>(
  count: number,
  size: number,
  lanes: readonly Lane[],
  write: (lane: Lane, from: number, to: number) => Promise<unknown>,
): Promise<void> {
  let next = 1;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let from = next; from <= count; from = next) {
        next += size;
        await write(lane, from, Math.min(from + size - 1, count));
      }
    }),
  );
}

/** A connection to a server that may lose the latest rows, but has memory and no other work. */
export async function connectForLoad(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `set synchronous_commit = off; set wal_compression = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'`,
  );
  return client;
}

/**
 * Building the indexes after millions of inserts takes half the time of maintaining them. Partitions get their indexes
 * back too.
 */
export async function withoutIndexes(
  client: pg.Client,
  table: string,
  fill: () => Promise<unknown>,
): Promise<void> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `select case when c.oid is null then format('drop index %I', i.relname)
         else format('alter table %I drop constraint %I', t.relname, c.conname) end as drop,
       case when c.oid is null then replace(pg_get_indexdef(i.oid), ' ON ONLY ', ' ON ')
         else format('alter table %I add constraint %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
         end as create
     from pg_index x
     join pg_class i on i.oid = x.indexrelid
     join pg_class t on t.oid = x.indrelid
     left join pg_constraint c on c.conindid = i.oid and c.contype in ('p', 'u')
     where t.relname = $1`,
    [table],
  );
  for (const { drop } of rows) await client.query(drop);
  await fill();
  for (const { create } of rows) await client.query(create);
}
