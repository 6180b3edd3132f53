import { expect, it } from 'vitest';
import type { ImportRow } from '../../../core/contact-import/read-row.ts';
import { measureContacts } from '../../../db/statements/jobs/import-contacts.ts';
import { createIcuDatabase } from '../../../test/setup/database.ts';
import { fileFixture } from '../../../test/setup/fixtures.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { writeRows } from './write-rows.ts';

const database = fileFixture(
  () => createIcuDatabase('en-US'),
  ({ close }) => close(),
);
const project = useProject(() => database.em());

// Code points sort "u1" after "u10", en-US before it.
const addresses = Array.from({ length: 600 }, (_, index) => `u${600 - index}@example.com`);
const write = (rows: ImportRow[]) =>
  database.em().transactional(async (em) => {
    const sizes = await measureContacts(em, project.id, addresses);
    return writeRows(em, project.id, rows, [...sizes.keys()]);
  });
/** In the order of the statements, each of which has a savepoint, and so a transaction id, of its own. */
const written = async () => {
  const rows = await database.sql<{ email: string; inOrder: boolean; statements: number }>(
    `select bool_and(email > before) as "inOrder", count(distinct xmin)::int as statements
     from (
       select email, xmin::text, lag(email) over (order by xmin::text::bigint, email) as before
       from contacts where project_id = $1
     ) c`,
    [project.id],
  );
  return rows[0];
};

it('locks contacts in the order of the database when the rows need several statements', async () => {
  const rows = addresses.map(
    (email, row): ImportRow => ({ row, ok: true, email, subscribed: true, data: {}, cells: [] }),
  );
  expect(await write(rows)).toMatchObject({ created: 600, skipped: 0 });
  const { inOrder, statements } = (await written()) ?? {};
  expect(statements).toBeGreaterThan(1);
  expect(inOrder).toBe(true);
});

it('locks contacts in the order of the database when it writes rows again without a faulty one', async () => {
  const tooLarge = { text: 'x'.repeat(70_000) };
  const rows = addresses.map(
    (email, row): ImportRow => ({
      row,
      ok: true,
      email,
      subscribed: undefined,
      data: row === 300 ? tooLarge : {},
      cells: [],
    }),
  );
  expect(await write(rows)).toMatchObject({ created: 599, skipped: 1 });
  const { inOrder, statements } = (await written()) ?? {};
  expect(statements).toBeGreaterThan(1);
  expect(inOrder).toBe(true);
});
