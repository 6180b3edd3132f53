import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertSegment, planIs } from '../../../test/setup/segments.ts';
import { sql } from '../../testing/sql.ts';
import { evaluateSegments } from './evaluate-segments.ts';

const { em } = useTestDatabase(1);

/** @returns blocks of data outside of rows that a round has read since */
async function readPieces(): Promise<number> {
  await sql(em(), 'select pg_stat_force_next_flush()');
  const [row] = await sql<{ pieces: number }>(
    em(),
    `select pg_stat_get_blocks_fetched(reltoastrelid)::int as pieces from pg_class where oid = 'contacts'::regclass`,
  );
  return row?.pieces ?? 0;
}

it('reads large data of a contact once for all segments', async () => {
  const project = newId();
  const contact = newId();
  // Random text can't be compressed, so Postgres stores it in pieces outside the row.
  const data = JSON.stringify({ plan: 'pro', noise: randomBytes(40_000).toString('base64') });
  await sql(em(), `insert into contacts (id, project_id, email, data) values ($1, $2, 'a@example.com', $3)`, [
    contact,
    project,
    data,
  ]);
  const segments = Array.from({ length: 20 }, () => newId());
  for (const id of segments) {
    const text = { name: id, description: null, slug: id, trackMembership: true };
    await insertSegment(em(), {
      id,
      projectId: project,
      type: 'DYNAMIC',
      condition: planIs('pro'),
      filterCount: 1,
      ...text,
    });
  }
  const evaluate = async (ids: readonly string[]) => {
    const before = await readPieces();
    const bits = new Map(ids.map((id, index) => [id, 2 ** index]));
    const batch = { bits, contacts: new Map([[contact, 2 ** ids.length - 1]]) };
    expect(await evaluateSegments(em(), project, batch, new Map())).toEqual({
      added: ids.length,
      removed: 0,
    });
    return (await readPieces()) - before;
  };
  const once = await evaluate(segments.slice(0, 1));
  expect(once).toBeGreaterThan(0);
  expect(await evaluate(segments.slice(1))).toBeLessThan(3 * once);
});
