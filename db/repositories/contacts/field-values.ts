import type { ContactFieldName, StandardField } from '../../../core/contact-data/contact-field.ts';
import { bindInto } from '../../conditions/bind.ts';
import { dataValueSql } from '../../conditions/data-value.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export type FieldValue = string | number | boolean;

/** Newest contacts that are looked through before all of them are. */
const contactsAtFirst = 10_000;

const instantSql = (column: string) =>
  `to_jsonb(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const standardSql: Readonly<Record<StandardField, string>> = {
  email: 'to_jsonb(c.email)',
  subscribed: 'to_jsonb(c.subscribed)',
  createdAt: instantSql('c.created_at'),
  updatedAt: instantSql('c.updated_at'),
  snoozedUntil: instantSql('c.snoozed_until'),
};

/**
 * Lists and objects are left out, once all are grouped: a condition on each contact makes the planner sort them
 * instead, which takes three times as long.
 */
const isScalar = `jsonb_typeof(value) in ('string', 'number', 'boolean')`;

/**
 * Distinct values of a field, at most `limit`: all of them, or those of the contacts created last. In no order.
 *
 * Fields of many values are answered by the newest contacts. Those of few take one parallel pass over the project's
 * contacts, which the planner would not choose by itself because it expects many values.
 */
export async function readFieldValues(
  em: Em,
  projectId: string,
  field: ContactFieldName,
  limit: number,
): Promise<FieldValue[]> {
  const parameters: unknown[] = [projectId, limit];
  const value =
    field.kind === 'standard'
      ? standardSql[field.name]
      : dataValueSql(field.key, field.path, bindInto(parameters));
  const read = async (transaction: Em, contacts: string) => {
    const rows = await sql<{ value: FieldValue }>(
      transaction,
      `with grouped as materialized (select value, max(at) as at from (${contacts}) field group by value)
       select value from grouped where ${isScalar} order by at desc, value limit $2`,
      parameters,
    );
    return rows.map((row) => row.value);
  };
  const all = `select ${value} as value, c.created_at as at from contacts c where c.project_id = $1`;
  const newest = `${all} order by c.created_at desc, c.id desc limit ${contactsAtFirst}`;
  const values = await read(em, newest);
  if (values.length === limit) return values;
  return em.transactional(async (transaction) => {
    await sql(
      transaction,
      `select set_config('parallel_tuple_cost', '0', true), set_config('parallel_setup_cost', '0', true)`,
    );
    return read(
      transaction,
      field.kind === 'standard' && field.name === 'snoozedUntil'
        ? `${all} and c.snoozed_until is not null`
        : all,
    );
  });
}
