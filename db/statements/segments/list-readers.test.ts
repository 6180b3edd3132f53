import { expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertSegment, planIs } from '../../../test/setup/segments.ts';
import { listReaders } from './evaluate-changes.ts';

const { em } = useTestDatabase(1);

it('counts the filters of the segments that a segment refers to, once per reference', async () => {
  const projectId = newId();
  const insert = async (filterCount: number, refersTo: string[], inputs: string[]) => {
    const id = newId();
    const names = { id, projectId, name: id, slug: id, type: 'DYNAMIC', condition: planIs('pro') } as const;
    await insertSegment(em(), { ...names, trackMembership: true, filterCount, refersTo, inputs });
    return id;
  };
  const base = await insert(90, [], []);
  const middle = await insert(10, [base, base], []);
  const top = await insert(3, [middle, base, newId()], ['data.plan']);
  const plain = await insert(2, [], ['data.plan', 'data.city']);
  await insert(5, [], ['data.city']);
  const readers = await listReaders(em(), projectId, new Map([['data.plan', new Set()]]));
  expect(readers).toEqual([
    { id: top, inputs: ['data.plan'], filters: 3 + (10 + 2 * 90) + 90 },
    { id: plain, inputs: ['data.plan', 'data.city'], filters: 2 },
  ]);
});
