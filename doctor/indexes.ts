import { z } from 'zod';
import { addressIndex } from '../db/entities/address-index.ts';
import { type Finding, foundOr, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const report = reporter('Indexes');

const brokenRow = z.object({ name: z.string(), table: z.string(), isBuilt: z.boolean() });
const addressRow = z.object({ isThere: z.boolean() });

/** Checks the index that an upgrade builds concurrently, and indexes whose build was interrupted. */
export async function checkIndexes({ ask }: ReadOnly): Promise<Finding[]> {
  const brokenSql = `select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table,
       exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as "isBuilt"
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and c.relnamespace = 'public'::regnamespace
     order by 1 limit 20`;
  const broken = await ask(brokenRow, brokenSql);
  const findings = broken.map(({ name, table, isBuilt }) =>
    isBuilt
      ? report.ok(`${name} of ${table} is being built`)
      : report.warning(
          `${name} of ${table} is invalid: its build was interrupted`,
          `It slows down writes and serves no reads. Run: reindex index concurrently ${name};`,
        ),
  );
  const addressSql = `select to_regclass('${addressIndex.name}') is not null as "isThere"`;
  const [address] = await ask(addressRow, addressSql);
  return foundOr(report.ok('none is missing or invalid'), [
    ...findings,
    address?.isThere === false &&
      report.warning(
        `${addressIndex.name} is missing: searches for part of an address are slow`,
        'The sweep partitions builds it during normal traffic. If this line is still here a day after an upgrade, its run in the Temporal UI shows why.',
      ),
  ]);
}
