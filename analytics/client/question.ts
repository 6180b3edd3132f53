import { z } from 'zod';

export type QueryParameter = string | number | boolean | readonly string[];
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

export interface Question<Parameters extends QueryParameters, Row> {
  readonly name: string;
  /** A SELECT without SETTINGS and FORMAT. */
  readonly sql: string;
  readonly row: z.ZodType<Row>;
  /** Time limit enforced by ClickHouse. Default 10,000. */
  readonly timeoutMs?: number;
  /** Never set: carries the parameter types only. */
  readonly parameters?: Parameters;
}

/** Stands for Postgres's null in id columns. */
export const zeroUuid = '00000000-0000-0000-0000-000000000000';

export const earliest = new Date('1970-01-01T00:00:00.000Z');
export const latest = new Date('2299-12-31T23:59:59.999Z');
export const greatestUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** An instant as a `DateTime64(3, 'UTC')` parameter, clamped to the supported range. */
export function toInstantParameter(instant: Date): string {
  const bounded = instant < earliest ? earliest : instant > latest ? latest : instant;
  return bounded.toISOString().slice(0, -1).replace('T', ' ');
}

/** Servers differ in whether they quote 64-bit numbers. */
export const countColumn = z.coerce.number().int().nonnegative();

/** ISO form because of `date_time_output_format`. */
export const instantColumn = z.iso.datetime().transform((text) => new Date(text));

export const nullableIdColumn = z.guid().transform((id) => (id === zeroUuid ? null : id));

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON other than an object, which the journal does not write, becomes an empty object. */
export const jsonObjectColumn = z.string().transform((text): Record<string, unknown> => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
});
