import { bindInto } from '../../conditions/bind.ts';
import { dataValueSql } from '../../conditions/data-value.ts';

/** Snoozed contacts are not subscribed, and count as snoozed alone. */
export const contactStatuses = ['subscribed', 'unsubscribed', 'snoozed'] as const;
export type ContactStatus = (typeof contactStatuses)[number];

/** Asks for one of some values under a key of `data`. */
export interface DataFilter {
  /** Looked for first, literally; then `path`, through objects only. */
  key: string;
  path: readonly string[];
  /** JSON scalars; at least one. */
  values: readonly (string | number | boolean)[];
}

export interface ContactFilter {
  /** Part of the address, in lower case. */
  search: string | undefined;
  /** Undefined for all. */
  statuses: readonly ContactStatus[] | undefined;
  /** All of them hold. */
  data: readonly DataFilter[];
}

/** Whether only a look at each contact can tell which of them match. */
export function needsScan({ search, data }: ContactFilter): boolean {
  return search !== undefined || data.length > 0;
}

/** The filter as conditions on `contacts c`, with their parameters numbered from 1. */
export function contactFilterSql(
  projectId: string,
  filter: ContactFilter,
): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  const bind = bindInto(parameters);
  const conditions = [membersSql(filter)];
  if (filter.search !== undefined) conditions.push(`position(${bind(filter.search)} in c.email) > 0`);
  for (const { key, path, values } of filter.data) {
    const texts = values.map((value) => JSON.stringify(value));
    conditions.push(`${dataValueSql(key, path, bind)} = any(${bind(texts)}::jsonb[])`);
  }
  return { where: conditions.join(' and '), parameters };
}

/** What indexes tell of the filter: the project, which is $1, and the statuses. */
export function membersSql({ statuses }: ContactFilter): string {
  return statuses === undefined ? 'c.project_id = $1' : `c.project_id = $1 and ${statusSql(statuses)}`;
}

/** In the forms that the indexes on `subscribed` and `snoozed_until` serve. */
function statusSql(statuses: readonly ContactStatus[]): string {
  const has = (status: ContactStatus) => statuses.includes(status);
  if (statuses.length === 0) return 'false';
  if (has('unsubscribed') && has('snoozed')) return has('subscribed') ? 'true' : 'not c.subscribed';
  const tests = statuses.map((status) => {
    if (status === 'subscribed') return 'c.subscribed';
    return status === 'snoozed'
      ? 'c.snoozed_until is not null'
      : 'not c.subscribed and c.snoozed_until is null';
  });
  return `(${tests.join(' or ')})`;
}
