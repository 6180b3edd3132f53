import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { trackInput } from '../test/setup/inputs.ts';
import { Batcher } from './batching/batcher.ts';
import { brokenConstraint, isDataFault, isRolledBack } from './database-errors.ts';
import { Template } from './entities/template.ts';
import { retryTransaction } from './retry-transaction.ts';
import { trackEvents } from './statements/events/track-events.ts';
import { preparedSql, sql } from './testing/sql.ts';

const { em } = useTestDatabase();

const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A statement during which the server closes the connection. */
const loseConnection = () =>
  preparedSql(em(), 'lose_connection', 'select pg_terminate_backend(pg_backend_pid())', []);

describe('a failed statement', () => {
  it('was rolled back when the server says so', async () => {
    const id = randomUUID();
    const insert = () => sql(em(), `insert into contacts (id, project_id, email) values ($1, $1, 'a')`, [id]);
    await insert();
    const broken = await failureOf(insert());
    expect(isRolledBack(broken)).toBe(true);
    expect(brokenConstraint(broken)).toBe('contacts_pkey');
    for (const text of [
      `select 1 / 0`,
      `select 'x'::int`,
      'select no_such_column',
      `do $$ begin raise 'x'; end $$`,
    ]) {
      expect(isRolledBack(await failureOf(sql(em(), text)))).toBe(true);
    }
    expect(brokenConstraint(await failureOf(sql(em(), 'select 1 / 0')))).toBeUndefined();
  });

  it('is recognized even when MikroORM has wrapped its error', async () => {
    const id = randomUUID();
    const insert = () =>
      em().insert(Template, {
        id,
        projectId: id,
        name: 'a',
        subject: 'a',
        body: 'a',
        fromEmail: 'a@b.c',
        type: 'MARKETING',
      });
    await insert();
    const broken = await failureOf(insert());
    expect(isRolledBack(broken)).toBe(true);
    expect(isDataFault(broken)).toBe(true);
    expect(brokenConstraint(broken)).toBe('templates_pkey');
  });

  it('may have been applied when the connection was lost', async () => {
    expect(isRolledBack(await failureOf(loseConnection()))).toBe(false);
    expect(isRolledBack(new Error('Connection terminated unexpectedly'))).toBe(false);
    expect(isRolledBack(undefined)).toBe(false);
  });

  it('is not retried by a batcher after a lost connection; the next statement runs', async () => {
    const projectId = randomUUID();
    let runs = 0;
    const batcher = new Batcher<string, unknown>({
      run: async (names) => {
        runs += 1;
        if (runs === 1) await loseConnection();
        return trackEvents(
          em(),
          names.map((name) => trackInput(projectId, `${name}@example.com`)),
        );
      },
      maxItems: 10,
      concurrency: 1,
    });
    const lost = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
    expect(lost.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
    expect(runs).toBe(1);
    await batcher.submit('c');
    expect(runs).toBe(2);
    const emails = await sql(em(), 'select email from contacts where project_id = $1', [projectId]);
    expect(emails).toEqual([{ email: 'c@example.com' }]);
  });
});

describe('a transaction that lost a race', () => {
  const raise = (code: string) =>
    sql(em(), `do $$ begin raise exception 'lost' using errcode = '${code}'; end $$`);

  it.each(['40001', '40P01'])('is retried after SQLSTATE %s', async (code) => {
    let runs = 0;
    const answer = await retryTransaction(async () => {
      runs += 1;
      if (runs < 3) await raise(code);
      return 'done';
    });
    expect([answer, runs]).toEqual(['done', 3]);
  });

  it('is given up after five attempts', async () => {
    let runs = 0;
    const run = retryTransaction(async () => {
      runs += 1;
      await raise('40P01');
    });
    await expect(run).rejects.toMatchObject({ code: '40P01' });
    expect(runs).toBe(5);
  });

  it('is not implied by any other error', async () => {
    let runs = 0;
    const run = retryTransaction(async () => {
      runs += 1;
      await raise('23505');
    });
    await expect(run).rejects.toMatchObject({ code: '23505' });
    expect(runs).toBe(1);
  });

  it('applies both effects when two transactions deadlock', async () => {
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids)
      await sql(em(), `insert into contacts (id, project_id, email) values ($1, $1, 'a')`, [id]);
    const both = (order: string[]) =>
      retryTransaction(() =>
        em().transactional(async (transaction) => {
          for (const id of order) {
            await sql(
              transaction,
              `update contacts set data = data || jsonb_build_object($2::text, true) where id = $1`,
              [id, order.join()],
            );
            await sql(transaction, 'select pg_sleep(0.05)');
          }
        }),
      );
    await Promise.all([both(ids), both(ids.toReversed())]);
    const rows = await sql<{ data: object }>(em(), 'select data from contacts where id = any($1::uuid[])', [
      ids,
    ]);
    for (const { data } of rows) expect(Object.keys(data)).toHaveLength(2);
  });
});
