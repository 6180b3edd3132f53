import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertProject } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { deleteCommands, lockDueCommands, postponeCommands, readOutboxFigures } from './outbox.ts';

let database: TestDatabase;
let em: Em;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  em = database.orm.em.fork();
  await sql(em, 'delete from outbox');
});

/** Commands of these ages; a negative one is not due yet. */
async function insertCommands(agesInSeconds: number[]): Promise<string[]> {
  const ids = agesInSeconds.map(() => randomUUID());
  for (const [index, id] of ids.entries()) {
    await sql(
      em,
      `insert into outbox (id, kind, subject_id, next_attempt_at, created_at)
       values ($1, 'email.dispatch', uuidv7(), now() - make_interval(secs => $2), now() - make_interval(secs => $2))`,
      [id, agesInSeconds[index]],
    );
  }
  return ids;
}

const idsOf = (commands: { id: string }[]) => commands.map((command) => command.id);

const readCommand = async (id: string) => {
  const [row] = await sql<{ attempts: number; waitSeconds: number; dead: boolean; lastError: string | null }>(
    em,
    `select attempts, extract(epoch from next_attempt_at - now())::float8 as "waitSeconds",
       dead_at is not null as dead, last_error as "lastError" from outbox where id = $1`,
    [id],
  );
  return row;
};

describe('due commands', () => {
  it('come oldest first, as many as asked for, and none before its time', async () => {
    const [middle, later, oldest, youngest] = await insertCommands([20, -5, 30, 10]);
    expect(idsOf(await lockDueCommands(em, 10))).toEqual([oldest, middle, youngest]);
    expect(idsOf(await lockDueCommands(em, 2))).toEqual([oldest, middle]);
    await sql(em, `update outbox set next_attempt_at = now() where id = $1`, [later]);
    expect(idsOf(await lockDueCommands(em, 10))).toEqual([oldest, middle, youngest, later]);
  });

  it('name the project whose work they are, and none for emails and for what is gone', async () => {
    const [projectId, gone] = [await insertProject(em), randomUUID()];
    const subjects: Record<string, string> = {
      'contact.snooze': `insert into contacts (id, project_id, email) values ($1, $2, 'a@example.com')`,
      'contacts.import': `insert into jobs (id, project_id, type) values ($1, $2, 'import')`,
      'contacts.bulk': `insert into jobs (id, project_id, type) values ($1, $2, 'subscribe')`,
      'domain.verify': `insert into domains (id, project_id, domain) values ($1, $2, 'example.com')`,
      'events.delete': `insert into event_deletions (id, project_id, name, before) values ($1, $2, 'visit', now())`,
      'project.erase': `insert into project_erasures (id, project_id, before) values ($1, $2, now())`,
      'campaign.changed': `insert into campaigns (id, project_id, name, subject, body, from_email, type, audience_type)
        values ($1, $2, 'News', 'News', '', 'a@example.com', 'MARKETING', 'ALL')`,
    };
    for (const [kind, statement] of Object.entries(subjects)) {
      const id = randomUUID();
      await sql(em, statement, [id, projectId]);
      await sql(em, 'insert into outbox (id, kind, subject_id) values (uuidv7(), $1, $2)', [kind, id]);
    }
    const commands = await lockDueCommands(em, 20);
    expect(commands.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(subjects).toSorted());
    expect(new Set(commands.map((command) => command.projectId))).toEqual(new Set([projectId]));
    await sql(em, 'delete from outbox');
    await sql(
      em,
      `insert into outbox (id, kind, subject_id) values (uuidv7(), 'email.dispatch', $1), (uuidv7(), 'contact.snooze', $1)`,
      [gone],
    );
    expect((await lockDueCommands(em, 20)).map(({ projectId }) => projectId)).toEqual([null, null]);
  });

  it('that a relay holds are passed over by the others, and come back when it fails', async () => {
    const ids = await insertCommands([4, 3, 2, 1]);
    const failure = new Error('the relay failed');
    await em
      .transactional(async (transaction) => {
        expect(idsOf(await lockDueCommands(transaction, 2))).toEqual(ids.slice(0, 2));
        expect(idsOf(await lockDueCommands(database.orm.em.fork(), 10))).toEqual(ids.slice(2));
        throw failure;
      })
      .catch((error: unknown) => expect(error).toBe(failure));
    expect(idsOf(await lockDueCommands(em, 10))).toEqual(ids);
  });

  it('are each taken by one of many relays, and nothing is left over', async () => {
    const ids = await insertCommands(Array.from({ length: 60 }, (_, index) => 60 - index));
    const taken: string[] = [];
    const relay = async () => {
      for (let left = true; left; ) {
        left = await database.orm.em.fork().transactional(async (transaction) => {
          const due = await lockDueCommands(transaction, 7);
          await deleteCommands(transaction, idsOf(due));
          taken.push(...idsOf(due));
          return due.length > 0;
        });
      }
    };
    await Promise.all([relay(), relay(), relay(), relay()]);
    expect(taken.toSorted()).toEqual(ids.toSorted());
    expect(await readOutboxFigures(em)).toEqual({ waiting: 0, dead: 0, oldestSeconds: 0 });
  });
});

describe('a command that fails', () => {
  it('waits twice as long each time, at most ten minutes, and then is dead but kept', async () => {
    const [id = ''] = await insertCommands([0]);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await postponeCommands(em, [id], `failure ${attempt}`, 12);
      waits.push(Math.round((await readCommand(id))?.waitSeconds ?? 0));
      expect(await readCommand(id)).toMatchObject({
        attempts: attempt,
        lastError: `failure ${attempt}`,
        dead: attempt === 12,
      });
      expect(await lockDueCommands(em, 10)).toEqual([]);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    await sql(em, `update outbox set next_attempt_at = now() - interval '1 hour'`);
    expect(await lockDueCommands(em, 10)).toEqual([]);
    expect(await readOutboxFigures(em)).toMatchObject({ waiting: 0, dead: 1, oldestSeconds: 0 });
  });

  it('keeps the beginning of a long error, and leaves other commands alone', async () => {
    const [failing = '', other = ''] = await insertCommands([2, 1]);
    await postponeCommands(em, [failing], 'x'.repeat(2_000), 12);
    expect((await readCommand(failing))?.lastError).toHaveLength(500);
    expect(idsOf(await lockDueCommands(em, 10))).toEqual([other]);
  });
});

it('tells how many commands wait and for how long', async () => {
  await insertCommands([30, 10, -60]);
  const figures = await readOutboxFigures(em);
  expect(figures).toMatchObject({ waiting: 3, dead: 0 });
  expect(figures.oldestSeconds).toBeGreaterThanOrEqual(30);
  expect(figures.oldestSeconds).toBeLessThan(40);
  await deleteCommands(em, []);
  expect((await readOutboxFigures(em)).waiting).toBe(3);
});
