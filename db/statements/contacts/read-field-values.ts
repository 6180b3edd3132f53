import { z } from 'zod';
import type { ContactFieldName, StandardField } from '../../../core/conditions/contact-field.ts';
import { dataValueSql } from '../../conditions/data-value.ts';
import type { Em } from '../../orm.ts';
import { bindInto, queryColumn } from '../../sql.ts';
import { contactsPerScan } from './scan-contacts.ts';

const fieldValue = z.union([z.string(), z.number(), z.boolean()]);
export type FieldValue = z.output<typeof fieldValue>;

const isoTextSql = (column: string) =>
  `to_jsonb(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const standardSql: Readonly<Record<StandardField, string>> = {
  email: 'to_jsonb(c.email)',
  subscribed: 'to_jsonb(c.subscribed)',
  createdAt: isoTextSql('c.created_at'),
  updatedAt: isoTextSql('c.updated_at'),
  snoozedUntil: isoTextSql('c.snoozed_until'),
};

/** Applied after grouping: as a condition per contact it makes the planner sort, which takes three times as long. */
const isScalar = `jsonb_typeof(value) in ('string', 'number', 'boolean')`;

/**
 * Up to `limit` distinct values of a field: first one of each type, so that a mixed field is recognized, then the
 * values of the newest contacts. Reads at most `contactsPerScan` contacts.
 */
export function readFieldValues(
  em: Em,
  projectId: string,
  field: ContactFieldName,
  limit: number,
): Promise<FieldValue[]> {
  const parameters: unknown[] = [projectId, limit, contactsPerScan];
  const value =
    field.kind === 'standard'
      ? standardSql[field.name]
      : dataValueSql(field.key, field.path, bindInto(parameters));
  const isSnooze = field.kind === 'standard' && field.name === 'snoozedUntil';
  const sql = `with newest as (
       select ${value} as value, c.created_at as at from contacts c
       where c.project_id = $1 and ${isSnooze ? 'c.snoozed_until is not null' : 'true'}
       order by c.created_at desc, c.id desc limit $3
     ),
     grouped as materialized (select value, max(at) as at from newest group by value)
     select value from grouped where ${isScalar}
     order by row_number() over (partition by jsonb_typeof(value) order by at desc, value) > 1, at desc, value
     limit $2`;
  return queryColumn(em, fieldValue, sql, parameters);
}
