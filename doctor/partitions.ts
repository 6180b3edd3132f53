import { z } from 'zod';
import { eventPartitions, notificationPartitions, stepAt } from '../db/partitioned-table.ts';
import { type Finding, foundOr, reporter } from './finding.ts';
import type { ReadOnly } from './read-only.ts';

const report = reporter('Partitions');
const mostCounted = 10_000;

const stateRow = z.object({ isPartitioned: z.boolean(), hasNext: z.boolean() });
const strayRow = z.object({ rows: z.int() });

/** Checks that the next partitions exist and that no row is in a default partition. */
export async function checkPartitions({ ask }: ReadOnly, now = new Date()): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const table of [eventPartitions, notificationPartitions]) {
    const { name, key } = table;
    const next = table.keyAt(stepAt(table, now, 1));
    const stateSql = `select coalesce((select relkind = 'p' from pg_class where oid = to_regclass($1)), false) as "isPartitioned",
         exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = to_regclass($1) and strpos(pg_get_expr(c.relpartbound, c.oid), $2) > 0) as "hasNext"`;
    const [state] = await ask(stateRow, stateSql, [name, `FROM ('${next}')`]);
    if (state?.isPartitioned !== true) {
      findings.push(
        report.warning(
          `${name} is not partitioned yet`,
          'The sweep partitions does that during normal traffic. If this line is still here a day after an upgrade, its run in the Temporal UI shows why.',
        ),
      );
      continue;
    }
    const straySql = `select count(*)::int as rows from (select ${key} from ${name}_default limit ${mostCounted}) stray`;
    const [stray] = await ask(strayRow, straySql);
    findings.push(...toFindings(name, state.hasNext, stray?.rows ?? 0));
  }
  return foundOr(report.ok('created ahead of time; no rows in a default partition'), findings);
}

function toFindings(name: string, hasNext: boolean, rows: number): Finding[] {
  const remedy =
    'Nothing is lost, but such rows are slower to find and outlive their retention. The sweep partitions creates the missing ones: is its schedule running?';
  if (rows > 0) return [report.warning(`${rows} rows are in ${name}_default`, remedy)];
  return hasNext ? [] : [report.warning(`${name} has no partition for upcoming rows`, remedy)];
}
