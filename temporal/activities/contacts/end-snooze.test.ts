import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { storeListeners } from '../../../test/setup/stored-workflows.ts';
import { endOverdueSnoozes } from './end-snooze.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

it('ends overdue snoozes few at a time, if they start very many executions', async () => {
  await storeListeners(em(), project.id, 'contact.subscribed', 100);
  await sql(
    `insert into contacts (id, project_id, email, subscribed, snoozed_until)
     select uuidv7(), $1, 'reader-' || n || '@example.com', false, now() - interval '1 hour' from generate_series(1, 60) n`,
    [project.id],
  );
  expect(await endOverdueSnoozes(em(), new Date())).toEqual({ ended: 60 });
  const started = await sql<{ count: number }>(
    `select count(*)::int from events where project_id = $1 and name = 'workflow.started' group by xid`,
    [project.id],
  );
  const counts = started.map(({ count }) => count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6_000);
  expect(Math.max(...counts)).toBeLessThanOrEqual(5_000);
});
