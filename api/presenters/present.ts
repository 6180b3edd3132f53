import type { z } from 'zod';

/** What a record may store for a field of its answer: a `Date` for a string, undefined for null. */
type Stored<Value> = Value | (string extends Value ? Date : never) | (null extends Value ? undefined : never);

type RecordOf<Answer> = { [Field in keyof Answer]?: Stored<Answer[Field]> };

/** Rejects a record that lacks declared fields, by demanding a member that no record has. */
type Lacks<Answer, Row> = [Exclude<keyof Answer, keyof Row>] extends [never]
  ? unknown
  : { lacks: Exclude<keyof Answer, keyof Row> };

/** The fields of a record that its answer declares, with instants as text and null for unset values. */
export function present<Schema extends z.ZodObject, Row extends RecordOf<z.output<Schema>>>(
  schema: Schema,
  row: Row & Lacks<z.output<Schema>, Row>,
): z.output<Schema> {
  const fields = Object.keys(schema.shape).map((name) => [name, presentValue(Reflect.get(row, name))]);
  // as: the record has all fields of the schema, in a form that the line above converts.
  return Object.fromEntries(fields) as z.output<Schema>;
}

const presentValue = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));
