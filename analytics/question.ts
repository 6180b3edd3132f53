import { z } from 'zod';

export type QueryParameter = string | number | boolean | readonly string[];
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/**
 * One question to ClickHouse: its SQL with typed parameters (`{name:Type}`; nothing is ever concatenated) and
 * the schema of the rows that answer it.
 */
export interface Question<Parameters extends QueryParameters, Row> {
  /** Shown as `log_comment` in ClickHouse's query log. */
  readonly name: string;
  /** A SELECT without SETTINGS and FORMAT. */
  readonly sql: string;
  /** Schema of a row as `JSONEachRow` gives it. */
  readonly row: z.ZodType<Row>;
  /** Default 10,000. ClickHouse gives up after it. */
  readonly timeoutMs?: number;
  /** Only there so that a question remembers its parameters' types. */
  readonly parameters?: Parameters;
}

/** What the columns hold where Postgres has null. */
export const zeroUuid = '00000000-0000-0000-0000-000000000000';

/** Bounds of every instant that the tables can hold. */
export const earliest = new Date('1970-01-01T00:00:00.000Z');
export const latest = new Date('2299-12-31T23:59:59.999Z');

/** An instant as the value of a `DateTime64(3, 'UTC')` parameter. Instants beyond the bounds become the bound. */
export function toInstantParameter(instant: Date): string {
  const bounded = instant < earliest ? earliest : instant > latest ? latest : instant;
  return bounded.toISOString().slice(0, -1).replace('T', ' ');
}

/** A count; servers differ in whether 64-bit numbers are quoted. */
export const countColumn = z.coerce.number().int().nonnegative();

/** An instant, written in ISO form because of `date_time_output_format`. */
export const instantColumn = z.iso.datetime().transform((text) => new Date(text));

/** An id, null where the column has the zero UUID. */
export const nullableIdColumn = z.guid().transform((id) => (id === zeroUuid ? null : id));

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of a JSON object, whatever its keys. Any other JSON, which the journal does not write, is an empty object. */
export const jsonObjectColumn = z.string().transform((text): Record<string, unknown> => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
});
