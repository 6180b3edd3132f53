import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { Contact } from './entities/contact.ts';
import { projectEm } from './entities/project-em.ts';
import type { Em } from './orm.ts';
import { importContactRows, measureContacts } from './statements/jobs/import-contacts.ts';

const database = useTestDatabase();
const { sql } = database;

it('is five thousand for the planner, in each table', async () => {
  const others = await sql<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and not c.relispartition
       and a.attname = 'project_id' and not 'n_distinct=-0.0002' = any(coalesce(a.attoptions, '{}'))`,
  );
  expect(others).toEqual([]);
});

/** Contacts that this connection has read, since some moment before. */
async function countRead(tx: Em): Promise<number> {
  const [row] = await tx.execute<{ count: number }[]>(
    `select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname = 'contacts'`,
  );
  return row?.count ?? Number.NaN;
}

const readBy = (em: Em, work: (tx: Em) => Promise<unknown>): Promise<number> =>
  em.transactional(async (tx) => {
    const before = await countRead(tx);
    await work(tx);
    return (await countRead(tx)) - before;
  });

it('makes each contact be found by its key, while most projects have a single one', async () => {
  await sql(`insert into contacts (id, project_id, email)
     select uuidv7(), gen_random_uuid(), 'first@example.com' from generate_series(1, 500)`);
  await sql('analyze contacts');
  const projectId = randomUUID();
  const rowsOf = (batch: number) =>
    Array.from({ length: 1_000 }, (_, n) => ({
      email: `reader-${batch}-${n}@example.com`,
      subscribed: undefined,
      data: { n },
    }));
  for (const batch of [0, 1, 2]) {
    await database.em().transactional((tx) => importContactRows(tx, projectId, rowsOf(batch), new Date()));
  }
  const addresses = rowsOf(0).map(({ email }) => email);
  const [known] = await sql<{ id: string }>('select id from contacts where project_id = $1 limit 1', [
    projectId,
  ]);

  const em = projectEm(database.orm, projectId);
  expect({
    ofImport: await readBy(em, (tx) => importContactRows(tx, projectId, rowsOf(3), new Date())),
    ofSizes: await readBy(em, (tx) => measureContacts(tx, projectId, addresses)),
    byId: await readBy(em, (tx) => tx.findOneOrFail(Contact, { id: known?.id ?? '' })),
  }).toEqual({ ofImport: 0, ofSizes: 1_000, byId: 1 });
});
