import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { statementTables } from './statement-tables.ts';

const database = useTestDatabase();
const { sql } = database;

it('brings the database to exactly the schema of the entities', async () => {
  const difference = await database.orm.schema.getUpdateSchemaSQL({ wrap: false });
  // Entities do not declare functions, triggers and views for older versions; db/functions does.
  const ofEntities = difference
    .split('\n')
    .filter((line) => !/^(drop (function|trigger|view) |$)/.test(line));
  expect(ofEntities).toEqual([]);
});

it('leaves out of that comparison only tables that exist and have no entity', async () => {
  const mapped = new Set([...database.orm.getMetadata().getAll().values()].map(({ tableName }) => tableName));
  const missing = await sql('select name from unnest($1::text[]) name where to_regclass(name) is null', [
    statementTables,
  ]);
  expect({ missing, mapped: statementTables.filter((table) => mapped.has(table)) }).toEqual({
    missing: [],
    mapped: [],
  });
});

it('measures the size of data as its JSON text, not as the text of jsonb', async () => {
  const values = [
    { a: 'x: y, z', b: [1, 2, { c: null }] },
    { quote: '"a": "b", \\" c', umlaut: 'äöü 😀' },
    { many: Array.from({ length: 6_000 }, (_, n) => [{ [`k, ${n}: `]: null, e: [], o: {} }]) },
    // Its parts must not be found one by one: the time would grow with their square.
    { numbers: Array.from({ length: 2_500_000 }, () => 1) },
    { long: `${'a, b: c '.repeat(9_000)}"`, list: [1, 2, 3], nested: { deep: ['x, y'] } },
  ];
  for (const value of values) {
    const text = JSON.stringify(value);
    const [row] = await sql<{ bytes: number }>('select json_text_bytes($1::jsonb) as bytes', [text]);
    const exact = Buffer.byteLength(text);
    // Small values may be measured by the cheaper upper bound.
    if (exact > 65_536) expect(row?.bytes).toBe(exact);
    else expect(row?.bytes).toBeGreaterThanOrEqual(exact);
  }
});

it('never measures data that has much more text than jsonb as too small', async () => {
  const values = [100, 160, 200, 250].flatMap((length) => [
    { smallest: Array.from({ length }, () => -5e-324) },
    { largest: Array.from({ length }, () => -1.797_693_134_862_315_7e308) },
    { texts: Array.from({ length }, () => '\u0001'), empty: Array.from({ length }, () => ['', null]) },
  ]);
  for (const value of values) {
    const [row] = await sql<{ bytes: number; exact: number }>(
      'select json_text_bytes(v) as bytes, large_json_text_bytes(v) as exact from (select $1::jsonb as v) t',
      [JSON.stringify(value)],
    );
    if (row === undefined) throw new Error('No row');
    if (row.exact > 65_536) expect(row.bytes).toBe(row.exact);
    else expect(row.bytes).toBeGreaterThanOrEqual(row.exact);
  }
});

it('measures small data without a call for each contact', async () => {
  const plan = await sql(
    `explain (verbose, format json) select from contacts where json_text_bytes(data) <= 65536`,
  );
  // The body of the function, in its place.
  expect(JSON.stringify(plan)).toContain('octet_length');
  // The text of common data is not even written.
  expect(JSON.stringify(plan)).toContain('pg_column_size');
  expect(JSON.stringify(plan)).not.toMatch(/\bjson_text_bytes/);
});

it('accepts data of exactly 64 KB and refuses one byte more', async () => {
  const insert = (bytes: number) =>
    sql(`insert into contacts (id, project_id, email, data) values (uuidv7(), uuidv7(), $1, $2)`, [
      `size-${bytes}@example.com`,
      JSON.stringify({ a: 'x'.repeat(bytes - 16), b: [1] }),
    ]);
  expect(Buffer.byteLength(JSON.stringify({ a: '', b: [1] }))).toBe(16);
  await insert(65_536);
  await expect(insert(65_537)).rejects.toMatchObject({ constraint: 'contacts_data_size' });
});
