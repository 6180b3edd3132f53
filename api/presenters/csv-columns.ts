import type { z } from 'zod';
import type { CsvColumns } from '../services/csv-file.ts';

/**
 * A column for each field of an answer.
 * @param present as `present` returns it: the fields in the order of the schema
 */
export const csvColumns = <Row, Schema extends z.ZodObject>(
  schema: Schema,
  present: (row: Row) => z.output<Schema>,
): CsvColumns<Row> => ({
  header: Object.keys(schema.shape),
  cellsOf: (row) => Object.values(present(row)),
});
