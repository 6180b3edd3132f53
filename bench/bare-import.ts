import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { newId } from '../core/new-id.ts';
import { type ImportedContact, importContactRows } from '../db/statements/jobs/import-contacts.ts';
import { sql } from '../db/testing/sql.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Figure } from './report.ts';

const batchRows = 2_000;

function seconds(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

async function readAll(text: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const record of Readable.from([text]).pipe(parse())) records.push(record);
  return records.slice(1);
}

function toContact([email, firstName, plan, seats, signedUp]: string[]): ImportedContact {
  const data = { firstName, plan, seats: Number(seats), signedUp };
  return { email: email ?? '', subscribed: undefined, data };
}

/** Costs of parts of an import of a file's rows: parsing alone, the statement alone, a plain insert. */
export async function measureBareImport(
  { orm }: BenchStack,
  text: string,
  projectId: string,
): Promise<Figure['limits']> {
  const em = orm.em.fork();
  let startedAt = performance.now();
  const records = await readAll(text);
  const parsing = seconds(startedAt);
  const contacts = records.map(toContact);

  startedAt = performance.now();
  for (let done = 0; done < contacts.length; done += batchRows) {
    const batch = contacts.slice(done, done + batchRows);
    await em.transactional((tx) => importContactRows(tx, projectId, batch, new Date()));
  }
  const statement = seconds(startedAt);

  await sql(em, 'create table bare_contacts (like contacts including all)');
  const rows = JSON.stringify(contacts.map(({ email, data }) => ({ id: newId(), email, data })));
  startedAt = performance.now();
  await sql(
    em,
    `insert into bare_contacts (id, project_id, email, data)
     select id, $2, email, data from json_to_recordset($1::json) as t(id uuid, email text, data jsonb)`,
    [rows, projectId],
  );
  const insert = seconds(startedAt);
  return [
    { what: 'reading the file', value: parsing, unit: 's' },
    { what: `the statement alone, ${batchRows} rows each`, value: statement, unit: 's' },
    { what: 'one plain insert into a table with the same indexes', value: insert, unit: 's' },
  ];
}
