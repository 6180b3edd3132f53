import { bindInto } from '../../conditions/bind.ts';
import { dataValueSql } from '../../conditions/data-value.ts';

/** Snoozed contacts count as snoozed only, not as unsubscribed. */
export const contactStatuses = ['subscribed', 'unsubscribed', 'snoozed'] as const;
export type ContactStatus = (typeof contactStatuses)[number];

export interface DataFilter {
  /** Tried first as a literal key, then `path`, through nested objects only. */
  key: string;
  path: readonly string[];
  values: readonly (string | number | boolean)[];
}

export interface ContactFilter {
  /** Lower-case substring of the address. */
  search: string | undefined;
  statuses: readonly ContactStatus[] | undefined;
  data: readonly DataFilter[];
}

export function needsScan({ search, data }: ContactFilter): boolean {
  return search !== undefined || data.length > 0;
}

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

export function membersSql({ statuses }: ContactFilter): string {
  return statuses === undefined ? 'c.project_id = $1' : `c.project_id = $1 and ${statusSql(statuses)}`;
}

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
