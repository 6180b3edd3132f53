import { expect, it } from 'vitest';
import { rowsRead } from '../db/testing/rows-read.ts';
import { sql } from '../db/testing/sql.ts';
import { useTestDatabase } from '../test/setup/database.ts';
import { createTestProject } from '../test/setup/start-test-api.ts';
import { checkHandOvers } from './hand-overs.ts';

const database = useTestDatabase();

it('reads a bounded number of failed emails, however many projects have them', async () => {
  for (let n = 0; n < 25; n += 1) await createTestProject(database);
  await database.sql(
    `insert into emails (id, project_id, source, to_email, from_email, status, reason)
     select uuidv7(interval '-20 minutes'), id, 'TRANSACTIONAL', 'a@example.com', 'b@example.com', 'FAILED', 'Refused'
     from projects, generate_series(1, 1000)`,
  );
  await database.sql('analyze projects, emails');
  const findings = Promise.withResolvers<unknown>();
  const read = await rowsRead(database.em(), async (em) =>
    findings.resolve(
      await checkHandOvers({ ask: async (row, text) => row.array().parse(await sql(em, text)) }),
    ),
  );
  expect(await findings.promise).toMatchObject([
    { text: 'at least 20000 emails of the last day failed: Refused' },
  ]);
  const emails = [...read].filter(([name]) => name.startsWith('emails'));
  expect(Math.max(...emails.map(([, rows]) => rows))).toBeLessThanOrEqual(21_000);
});

it('says since when emails are deferred, however many newer ones are', async () => {
  const { id } = await createTestProject(database);
  await database.sql('delete from emails');
  await database.sql(
    `insert into emails (id, project_id, source, to_email, from_email, status, reason)
     select uuidv7(make_interval(mins => -n / 10)), $1, 'TRANSACTIONAL', 'a@example.com', 'b@example.com', 'QUEUED', 'Paused'
     from generate_series(1, 3000) n`,
    [id],
  );
  const findings = await checkHandOvers({
    ask: async (row, text) => row.array().parse(await sql(database.em(), text)),
  });
  expect(findings).toMatchObject([
    { level: 'error', text: 'at least 1050 emails are deferred, the oldest for 5 h: Paused' },
  ]);
});
