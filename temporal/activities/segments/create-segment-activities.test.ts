import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { withinTime } from '../../../db/limit-statements.ts';
import { countMembers } from '../../../db/statements/segments/segment-members.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { countSegments } from './create-segment-activities.ts';

const database = useTestDatabase();

it('ends a slow count, leaves the other segments of its project for later, and counts those of others', async () => {
  const [slow, other] = [uuidv7(), uuidv7()];
  await database.sql(
    `insert into contacts (id, project_id, email)
     select uuidv7(), $1, n || '@example.com' from generate_series(1, 30000) n`,
    [slow],
  );
  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'data.plan', operator: 'notContains', value: 'x' }] }],
  };
  await database.sql(
    `insert into segments (id, project_id, name, type, slug, condition)
     select uuidv7(), $1::uuid, n, 'DYNAMIC', n, $3::jsonb from unnest(array['one', 'two']) n
     union all select uuidv7(), $2::uuid, 'three', 'STATIC', 'three', null`,
    [slow, other, JSON.stringify(condition)],
  );
  const em = database.em();
  const begun: string[] = [];
  const count = (countMs: number) =>
    countSegments(em, new Date(), new AbortController().signal, new Map(), (segment) => {
      begun.push(segment.projectId);
      const longestMs = segment.projectId === slow ? countMs : 60_000;
      return withinTime(em, longestMs, (own) => countMembers(own, segment));
    });
  expect(await count(1)).toEqual({ counted: 1, failed: 1, hasMore: false });
  expect(begun).toEqual([slow, other]);
  await database.sql('update segments set counted_at = null');
  expect(await count(60_000)).toEqual({ counted: 3, failed: 0, hasMore: false });
});

it("leaves a project's segments to the next rounds, in turn, once its counts have taken a minute", async () => {
  const [busy, other] = [uuidv7(), uuidv7()];
  await database.sql('truncate segments cascade');
  await database.sql(
    `insert into segments (id, project_id, name, type, slug)
     select uuidv7(), $1::uuid, n, 'STATIC', n from unnest(array['one', 'two', 'three']) n
     union all select uuidv7(), $2::uuid, 'of another', 'STATIC', 'four'`,
    [busy, other],
  );
  const em = database.em();
  const names = new Map(
    (await database.sql<{ id: string; name: string }>('select id, name from segments')).map(
      ({ id, name }) => [id, name],
    ),
  );
  const count = async () => {
    const counted: unknown[] = [];
    const spentMs = new Map<string, number>();
    // A round begins later than the one before.
    await delay(5);
    const before = new Date();
    // The second page is empty.
    for (let page = 0; page < 2; page += 1) {
      await countSegments(em, before, new AbortController().signal, spentMs, (segment) => {
        counted.push(names.get(segment.id));
        // As if it took a minute.
        if (segment.projectId === busy) spentMs.set(busy, 60_000);
        return countMembers(em, segment);
      });
    }
    return counted;
  };
  const rounds = [await count(), await count(), await count()];
  const ofBusy = rounds.map((round) => round.filter((name) => name !== 'of another'));
  expect(ofBusy.flat().toSorted()).toEqual(['one', 'three', 'two']);
  expect(rounds.map((round) => round.includes('of another'))).toEqual([true, true, true]);
});
