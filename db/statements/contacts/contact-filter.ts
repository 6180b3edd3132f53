import { dataValueSql } from '../../conditions/data-value.ts';
import { bindInto } from '../../sql.ts';
import type { ContactOrder } from './contact-order.ts';

/** Snoozed contacts count as snoozed only, not as unsubscribed. */
export const contactStatuses = ['subscribed', 'unsubscribed', 'snoozed'] as const;
export type ContactStatus = (typeof contactStatuses)[number];

export interface DataFilter {
  /** The literal key is tried first, then `path`, through nested objects only. */
  key: string;
  path: readonly string[];
  values: readonly (string | number | boolean)[];
}

export interface ContactFilter {
  search: string | undefined;
  statuses: readonly ContactStatus[] | undefined;
  data: readonly DataFilter[];
}

export function needsScan({ search, data }: ContactFilter): boolean {
  return search !== undefined || data.length > 0;
}

export function isByAddressAlone({ search, statuses, data }: ContactFilter): boolean {
  return search !== undefined && statuses === undefined && data.length === 0;
}

/** @param emails restricts the result to these addresses */
export function contactFilterSql(
  projectId: string,
  filter: ContactFilter,
  emails?: readonly string[],
): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [projectId];
  const bind = bindInto(parameters);
  const conditions = ['c.project_id = $1'];
  if (filter.statuses !== undefined) conditions.push(statusSql(filter.statuses));
  if (emails !== undefined) conditions.push(`c.email = any(${bind(emails)}::text[])`);
  if (filter.search !== undefined) conditions.push(`position(${bind(filter.search)} in c.email) > 0`);
  for (const { key, path, values } of filter.data) {
    const texts = values.map((value) => JSON.stringify(value));
    conditions.push(`${dataValueSql(key, path, bind)} = any(${bind(texts)}::jsonb[])`);
  }
  return { where: conditions.join(' and '), parameters };
}

/** The smallest part of the project that contains all matches and that an index returns in this order. */
export function indexedSql({ statuses }: ContactFilter, { by }: ContactOrder): string {
  const project = 'c.project_id = $1';
  if (by === 'email' || statuses === undefined) return project;
  if (!statuses.includes('subscribed')) {
    return `${project} and ${statuses.includes('unsubscribed') ? 'not c.subscribed' : 'c.snoozed_until is not null'}`;
  }
  return statuses.length === 1 ? `${project} and c.subscribed` : project;
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
