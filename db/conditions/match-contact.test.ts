import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { insertContacts } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertProject } from '../../test/setup/projects.ts';
import type { Em } from '../orm.ts';
import { listAudience } from '../statements/segments/audience-contacts.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { sql } from '../testing/sql.ts';
import { conditionAudience } from './audience.ts';
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

describe('while Postgres expects few contacts of an event', () => {
  let projectId: string;
  beforeAll(async () => {
    projectId = await insertProject(database.em());
    await insertContacts(database.em(), projectId, 3_000);
    await database.sql(
      `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
       select project_id, 'ordered', id, 2, now(), now(), uuidv7() from contacts
       where project_id = $1 and (data ->> 'n')::int <= 2900`,
      [projectId],
    );
    await database.sql('analyze contacts, contact_event_stats');
    for (const column of ['project_id', 'name']) {
      await database.sql(`select pg_clear_attribute_stats('public', 'contact_event_stats', $1, false)`, [
        column,
      ]);
      await database.sql(
        `select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'contact_event_stats',
           'attname', $1::text, 'inherited', false, 'null_frac', 0::real, 'n_distinct', (-1)::real)`,
        [column],
      );
    }
  });

  const ordered = (operator: string, more = {}) => ({ field: 'event.ordered', operator, ...more });
  const isPro = { field: 'data.plan', operator: 'equals', value: 'pro' };
  const parse = (...groups: object[][]) => {
    const parsed = parseCondition({ logic: 'OR', groups: groups.map((filters) => ({ filters })) });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.condition;
  };
  const statisticsRead = async (work: (em: Em) => Promise<unknown>) =>
    (await rowsRead(database.em(), work)).get('contact_event_stats_pkey') ?? 0;

  it.each([
    ['an event', [[ordered('triggered')]]],
    ['no event', [[ordered('notTriggered')]]],
    ['an event or data', [[ordered('triggered')], [isPro]]],
    ['several events or data', [[ordered('countGreaterThan', { value: 1 })], [isPro]]],
  ])('a contact is tested by its own: %s', async (_, groups) => {
    const [contact] = await database.sql<{ id: string }>(
      `select id from contacts where project_id = $1 and data ->> 'n' = '1500'`,
      [projectId],
    );
    const read = await statisticsRead((em) =>
      matchContact(em, projectId, contact?.id ?? '', parse(...groups), new Date()),
    );
    expect(read).toBe(1);
  });

  it('a page of contacts without the event reads none of the others', async () => {
    const audience = await conditionAudience(database.em(), projectId, parse([ordered('notTriggered')]));
    const read = await statisticsRead(async (em) => {
      expect(await listAudience(em, projectId, audience, { limit: 20, offset: 0 })).toHaveLength(20);
    });
    expect(read).toBe(0);
  });
});
