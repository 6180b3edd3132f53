import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { sql } from '../testing/sql.ts';
import { matchContact } from './match-contact.ts';

const database = useTestDatabase();

it('reads large data once, however many filters test it', async () => {
  const [projectId, contactId] = [uuidv7(), uuidv7()];
  // Random text can't be compressed, so Postgres stores it in pieces outside the row.
  const data = JSON.stringify({ noise: randomBytes(40_000).toString('base64') });
  await database.sql(
    `insert into contacts (id, project_id, email, data) values ($1, $2, 'a@example.com', $3)`,
    [contactId, projectId, data],
  );
  const piecesRead = (filters: number) =>
    database.em().transactional(async (em) => {
      const filter = { field: 'data.plan.name', operator: 'notExists' };
      const parsed = parseCondition({
        logic: 'AND',
        groups: [{ filters: Array.from({ length: filters }, () => filter) }],
      });
      if (!parsed.ok) throw new Error('The condition is invalid');
      expect(await matchContact(em, projectId, contactId, parsed.condition, new Date())).toBe(true);
      const [row] = await sql<{ pieces: number }>(
        em,
        `select pg_stat_get_xact_blocks_fetched(reltoastrelid)::int as pieces
         from pg_class where oid = 'contacts'::regclass`,
      );
      return row?.pieces;
    });
  await piecesRead(1);
  const once = await piecesRead(1);
  expect(once).toBeGreaterThan(0);
  expect(await piecesRead(50)).toBeLessThan(2 * (once ?? 0));
});
