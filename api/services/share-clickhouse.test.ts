import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { withoutClickHouse } from '../../analytics/clickhouse.ts';
import { ClickHouseUnavailable } from '../../analytics/client/errors.ts';
import { shareClickHouse } from './share-clickhouse.ts';

it('refuses questions that waited behind unanswered ones, instead of asking one after the other', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const givenUp = Promise.withResolvers<never>();
  const silent = {
    ...withoutClickHouse(),
    query() {
      asked += 1;
      return givenUp.promise;
    },
  };
  const { query } = shareClickHouse(silent, 2, 4);
  const question = { name: 'any', sql: 'SELECT 1', row: z.unknown() };
  const ask = () => query(question, { projectId: 'a' });
  const answers = [ask(), ask(), ask(), ask()];
  await immediate();
  vi.advanceTimersByTime(15_000);
  const late = ask();
  givenUp.reject(new ClickHouseUnavailable('No answer'));
  for (const answer of [...answers, late]) await expect(answer).rejects.toThrow(ClickHouseUnavailable);
  // The first two, and the last one, which had not waited yet.
  expect(asked).toBe(3);
});

it('leaves connections free, however many projects ask', async () => {
  const answers: (() => void)[] = [];
  const busy = {
    ...withoutClickHouse(),
    query: () => new Promise<never[]>((resolve) => answers.push(() => resolve([]))),
  };
  const { query } = shareClickHouse(busy, 4, 8);
  const question = { name: 'any', sql: 'SELECT 1', row: z.unknown() };
  const all = ['a', 'b', 'c'].flatMap((projectId) =>
    Array.from({ length: 4 }, () => query(question, { projectId })),
  );
  await immediate();
  expect(answers).toHaveLength(8);
  for (let answered = 0; answered < 12; answered += 1) {
    answers[answered]?.();
    await immediate();
  }
  expect(await Promise.all(all)).toHaveLength(12);
});
