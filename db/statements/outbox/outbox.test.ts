import { randomUUID } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Lane } from '../../../core/outbox-lanes.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { noProject } from '../../entities/outbox-command.ts';
import type { Em } from '../../orm.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { sql } from '../../testing/sql.ts';
import { findProjectTurns, lockDueCommands } from './due-commands.ts';
import { readOutboxFigures } from './read-outbox-figures.ts';
import { deleteCommands, makeCommandDue, postponeCommands } from './settle-commands.ts';

const database = useTestDatabase();
const { em } = database;
beforeEach(async () => {
  await sql(em(), 'delete from outbox');
});

/** Commands of these ages; one with a negative age is not due yet. */
async function insertCommands(agesInSeconds: number[]): Promise<string[]> {
  const ids = agesInSeconds.map(() => randomUUID());
  for (const [index, id] of ids.entries()) {
    await sql(
      em(),
      `insert into outbox (id, kind, subject_id, next_attempt_at, created_at)
       values ($1, 'email.dispatch', uuidv7(), now() - make_interval(secs => $2), now() - make_interval(secs => $2))`,
      [id, agesInSeconds[index]],
    );
  }
  return ids;
}

const lockEmails = (by: Em, limit: number) => lockDueCommands(by, 'emails', [noProject], limit);

/** Commands of a project that fell due this many seconds ago, the first one first. */
const insertFor = (projectId: string, count: number, dueSecondsAgo = 60, kind = 'contact.snooze') =>
  sql(
    em(),
    `insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
     select uuidv7(), $2, uuidv7(), $1, now() - make_interval(secs => $4) + n * interval '1 ms'
     from generate_series(1, $3) n`,
    [projectId, kind, count, dueSecondsAgo],
  );

const idsOf = (commands: { id: string }[]) => commands.map((command) => command.id);

const readCommand = async (id: string, own = em()) => {
  const [row] = await sql<{ attempts: number; waitSeconds: number; dead: boolean; lastError: string | null }>(
    own,
    `select attempts, extract(epoch from next_attempt_at - now())::float8 as "waitSeconds",
       dead_at is not null as dead, last_error as "lastError" from outbox where id = $1`,
    [id],
  );
  return row;
};

describe('due commands', () => {
  it('come oldest first, as many as asked for, and none before its time', async () => {
    const [middle, later, oldest, youngest] = await insertCommands([20, -5, 30, 10]);
    expect(idsOf(await lockEmails(em(), 10))).toEqual([oldest, middle, youngest]);
    expect(idsOf(await lockEmails(em(), 2))).toEqual([oldest, middle]);
    await sql(em(), `update outbox set next_attempt_at = now() where id = $1`, [later]);
    expect(idsOf(await lockEmails(em(), 10))).toEqual([oldest, middle, youngest, later]);
  });

  it('are returned by lane and project', async () => {
    const projectId = randomUUID();
    await insertFor(projectId, 2);
    await insertFor(projectId, 1, 60, 'email.dispatch');
    await insertFor(randomUUID(), 1);
    await insertCommands([1]);
    const kinds = async (lane: Lane, id: string) =>
      (await lockDueCommands(em(), lane, [id], 10)).map((command) => [command.kind, command.projectId]);
    expect(await kinds('work', projectId)).toEqual([
      ['contact.snooze', projectId],
      ['contact.snooze', projectId],
    ]);
    expect(await kinds('emails', projectId)).toEqual([['email.dispatch', projectId]]);
    expect(await kinds('emails', noProject)).toEqual([['email.dispatch', null]]);
    expect(await kinds('work', noProject)).toEqual([]);
  });

  it('held by a relay are skipped by the others, and come back when it fails', async () => {
    const ids = await insertCommands([4, 3, 2, 1]);
    const failure = new Error('the relay failed');
    await em()
      .transactional(async (transaction) => {
        expect(idsOf(await lockEmails(transaction, 2))).toEqual(ids.slice(0, 2));
        expect(idsOf(await lockEmails(em(), 10))).toEqual(ids.slice(2));
        throw failure;
      })
      .catch((error: unknown) => expect(error).toBe(failure));
    expect(idsOf(await lockEmails(em(), 10))).toEqual(ids);
  });

  it('are each taken by one of many relays, and none is left', async () => {
    const ids = await insertCommands(Array.from({ length: 60 }, (_, index) => 60 - index));
    const taken: string[] = [];
    const relay = async () => {
      for (let left = true; left; ) {
        left = await em().transactional(async (transaction) => {
          const due = await lockEmails(transaction, 7);
          await deleteCommands(transaction, idsOf(due));
          taken.push(...idsOf(due));
          return due.length > 0;
        });
      }
    };
    await Promise.all([relay(), relay(), relay(), relay()]);
    expect(taken.toSorted()).toEqual(ids.toSorted());
    const none = { waiting: 0, dead: 0, oldestSeconds: 0 };
    expect(await readOutboxFigures(em())).toEqual([
      { lane: 'emails', ...none },
      { lane: 'work', ...none },
    ]);
  });
});

describe('a command that fails', () => {
  it('waits twice as long each time, at most ten minutes, and then is dead but kept', async () => {
    const [id = ''] = await insertCommands([0]);
    const waits: number[] = [];
    // The clock of a transaction stands still, so no delay can be over before it is read.
    await em().transactional(async (own) => {
      for (let attempt = 1; attempt <= 12; attempt += 1) {
        await postponeCommands(own, [id], `failure ${attempt}`, 12);
        const command = await readCommand(id, own);
        waits.push(Math.round(command?.waitSeconds ?? 0));
        expect(command).toMatchObject({
          attempts: attempt,
          lastError: `failure ${attempt}`,
          dead: attempt === 12,
        });
        expect(await lockEmails(own, 10)).toEqual([]);
      }
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    await sql(em(), `update outbox set next_attempt_at = now() - interval '1 hour'`);
    expect(await lockEmails(em(), 10)).toEqual([]);
    expect((await readOutboxFigures(em()))[0]).toMatchObject({ waiting: 0, dead: 1, oldestSeconds: 0 });
  });

  it('keeps the beginning of a long error, and leaves other commands alone', async () => {
    const [failing = '', other = ''] = await insertCommands([2, 1]);
    await postponeCommands(em(), [failing], 'x'.repeat(2_000), 12);
    expect((await readCommand(failing))?.lastError).toHaveLength(500);
    expect(idsOf(await lockEmails(em(), 10))).toEqual([other]);
  });
});

describe('projects', () => {
  const projects = Array.from({ length: 5 }, (_, n) =>
    `${n + 1}`.repeat(8).concat('-0000-7000-8000-000000000000'),
  );

  it('take turns: each gets the same share of its due commands, oldest first', async () => {
    const [busy = '', quiet = '', small = ''] = projects;
    await insertFor(busy, 300, 600);
    await insertFor(quiet, 3, 2);
    await insertFor(small, 1, 1);
    const first = await lockDueCommands(em(), 'work', [busy, quiet, small], 10);
    const counts = Map.groupBy(first, (command) => command.projectId);
    expect([...counts].map(([id, { length }]) => [id, length])).toEqual([
      [busy, 10],
      [quiet, 3],
      [small, 1],
    ]);
    const oldest = await sql<{ id: string }>(em(), 'select id from outbox order by next_attempt_at limit 10');
    expect(idsOf(counts.get(busy) ?? [])).toEqual(idsOf(oldest));
  });

  it('are listed by id, without the other lane and dead commands', async () => {
    const [first = '', later = '', emails = '', dead = '', last = ''] = projects;
    await insertFor(last, 2);
    await insertFor(first, 500);
    await insertFor(later, 1, -60);
    await insertFor(emails, 1, 60, 'email.dispatch');
    await insertFor(dead, 1);
    await sql(em(), 'update outbox set dead_at = now() where project_id = $1', [dead]);
    const turns = [
      { projectId: first, isDue: true },
      { projectId: later, isDue: false },
      { projectId: last, isDue: true },
    ];
    expect(await findProjectTurns(em(), 'work', null, 10)).toEqual(turns);
    expect(await findProjectTurns(em(), 'work', null, 2)).toEqual(turns.slice(0, 2));
    expect(await findProjectTurns(em(), 'work', later, 2)).toEqual(turns.slice(2));
    expect(await findProjectTurns(em(), 'work', last, 2)).toEqual([]);
    expect(await findProjectTurns(em(), 'emails', null, 10)).toEqual([{ projectId: emails, isDue: true }]);
  });

  it('cost the same however many commands they have waiting', async () => {
    const [busy = '', quiet = ''] = projects;
    await insertFor(busy, 50_000);
    await insertFor(quiet, 5);
    await insertFor(busy, 50_000, 60, 'email.dispatch');
    for (const isAnalyzed of [false, true]) {
      if (isAnalyzed) await sql(em(), 'analyze outbox');
      for (const lane of ['emails', 'work'] as const) {
        const pages = await readPages((by) => findProjectTurns(by, lane, null, 200));
        expect(pages).toBeLessThan(100);
        expect(await readPages((by) => lockDueCommands(by, lane, [busy, quiet], 16))).toBeLessThan(400);
      }
    }
  });

  /** Pages of tables and indexes that `read` fetches. */
  async function readPages(read: (by: Em) => Promise<unknown>): Promise<number> {
    return em().transactional(async (by) => {
      const pages = async () => {
        const [row] = await sql<{ pages: string }>(
          by,
          `select sum(pg_stat_get_xact_blocks_fetched(c)) as pages
           from unnest(array['outbox', 'outbox_emails', 'outbox_work', 'outbox_pkey']::regclass[]) c`,
        );
        return Number(row?.pages);
      };
      const before = await pages();
      await read(by);
      return (await pages()) - before;
    });
  }
});

describe('rows from before projects took turns', () => {
  it('get their project from their subject', async () => {
    const [projectId, gone] = [await insertProject(em()), randomUUID()];
    const subjects: Record<string, string> = {
      'contact.snooze': `insert into contacts (id, project_id, email) values ($1, $2, 'a@example.com')`,
      'contacts.import': `insert into jobs (id, project_id, type) values ($1, $2, 'import')`,
      'contacts.bulk': `insert into jobs (id, project_id, type) values ($1, $2, 'subscribe')`,
      'domain.verify': `insert into domains (id, project_id, domain) values ($1, $2, 'example.com')`,
      'events.delete': `insert into event_deletions (id, project_id, name, before) values ($1, $2, 'visit', now())`,
      'project.erase': `insert into project_erasures (id, project_id, before) values ($1, $2, now())`,
      'campaign.changed': `insert into campaigns (id, project_id, name, subject, body, from_email, type, audience_type)
        values ($1, $2, 'News', 'News', '', 'a@example.com', 'MARKETING', 'ALL')`,
      'email.dispatch': `insert into emails (id, project_id, to_email, from_email, source)
        values ($1, $2, 'a@example.com', 'b@example.com', 'TRANSACTIONAL')`,
      'execution.wake': `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
        values ($1, $2, uuidv7(), 1, uuidv7(), false)`,
    };
    await sql(em(), 'alter table outbox drop column project_id');
    await sql(em(), 'create index outbox_due on outbox (next_attempt_at, id) where dead_at is null');
    for (const [kind, statement] of Object.entries(subjects)) {
      const id = randomUUID();
      await sql(em(), statement, [id, projectId]);
      await sql(em(), 'insert into outbox (id, kind, subject_id) values (uuidv7(), $1, $2)', [kind, id]);
    }
    await sql(
      em(),
      `insert into outbox (id, kind, subject_id) values (uuidv7(), 'billing.end', $1), (uuidv7(), 'contact.snooze', $2)`,
      [projectId, gone],
    );
    const file = new URL('../../migrations/2026-11-22-outbox-lanes.sql', import.meta.url);
    const migrating = new pg.Client({ connectionString: database.url });
    await migrating.connect();
    await migrating.query(await readFile(file, 'utf8'));
    await migrating.end();
    const rows = await sql<{ kind: string; subject: string; project: string }>(
      em(),
      'select kind, subject_id as subject, project_id as project from outbox',
    );
    expect(rows).toHaveLength(Object.keys(subjects).length + 2);
    for (const { subject, project } of rows) expect(project).toBe(subject === gone ? noProject : projectId);
  });
});

it('everything that queues a command names its project', async () => {
  const root = new URL('../../../', import.meta.url);
  const inserted: string[] = [];
  const created: string[] = [];
  const folders = '{api,db,runtime,temporal}/**/*.{ts,sql}';
  for await (const file of glob(folders, { cwd: root, exclude: (path) => path.includes('migrations') })) {
    if (/\.test\.ts$|\/testing\//.test(file)) continue;
    const text = await readFile(new URL(file, root), 'utf8');
    inserted.push(...text.matchAll(/insert into outbox \(([^)]*)\)/g).map(([, columns = '']) => columns));
    created.push(...text.matchAll(/create\(OutboxCommand, \{([^}]*)\}/g).map(([, fields = '']) => fields));
  }
  expect(inserted.length).toBeGreaterThan(10);
  expect(created.length).toBeGreaterThan(5);
  for (const columns of inserted) expect(columns.split(', ')).toContain('project_id');
  for (const fields of created) expect(fields).toContain('projectId');
});

it('reports how many commands of each lane wait and for how long', async () => {
  await insertCommands([30, 10, -60]);
  await insertFor(randomUUID(), 2);
  const [emails, work] = await readOutboxFigures(em());
  expect(emails).toMatchObject({ lane: 'emails', waiting: 3, dead: 0 });
  expect(emails?.oldestSeconds).toBeGreaterThanOrEqual(30);
  expect(emails?.oldestSeconds).toBeLessThan(40);
  expect(work).toMatchObject({ lane: 'work', waiting: 2, dead: 0 });
  await deleteCommands(em(), []);
  expect((await readOutboxFigures(em()))[0]?.waiting).toBe(3);
});

it('makes a command due without reading the waiting emails', async () => {
  const projectId = await insertProject(em());
  await insertFor(projectId, 5_000, 60, 'email.dispatch');
  await insertFor(projectId, 1, -600, 'events.delete');
  await sql(em(), 'analyze outbox');
  const [command] = await sql<{ id: string; subjectId: string }>(
    em(),
    `select id, subject_id as "subjectId" from outbox where kind = 'events.delete'`,
  );
  const { id = '', subjectId = '' } = command ?? {};
  const read = await rowsRead(em(), (run) =>
    makeCommandDue(run, { projectId, kind: 'events.delete', subjectId }),
  );
  expect((await readCommand(id))?.waitSeconds).toBeLessThanOrEqual(0);
  expect(read.get('outbox') ?? 0).toBeLessThanOrEqual(10);
});
