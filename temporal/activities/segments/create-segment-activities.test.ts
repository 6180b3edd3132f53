import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { countMembersWithin } from '../../../db/statements/segments/segment-members.ts';
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
    countSegments(em, new Date(), new AbortController().signal, (segment) => {
      begun.push(segment.projectId);
      return countMembersWithin(em, segment, segment.projectId === slow ? countMs : 60_000);
    });
  expect(await count(1)).toEqual({ counted: 1, failed: 2, hasMore: false });
  expect(begun).toEqual([slow, other]);
  await database.sql('update segments set counted_at = null');
  expect(await count(60_000)).toEqual({ counted: 3, failed: 0, hasMore: false });
});
