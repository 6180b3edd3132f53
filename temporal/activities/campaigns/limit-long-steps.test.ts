import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLongStepLimit } from './limit-long-steps.ts';

/** Steps that end when the test says so. */
function stage(atOnce: number) {
  const run = createLongStepLimit(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    /** @returns whether the step was done, rather than put off */
    async ask(projectId: string): Promise<boolean> {
      try {
        await run(projectId, () => {
          begun.push(projectId);
          return new Promise<void>((resolve) => ends.push(resolve));
        });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ category: 'BENIGN', nextRetryDelay: expect.any(Number) });
        return false;
      }
    },
    async endFirst() {
      ends.shift()?.();
      await immediate();
    },
  };
}

it('steps of a project leave places to others, and those beyond are put off', async () => {
  const { ask, begun, endFirst } = stage(2);
  const first = ask('a');
  const second = ask('a');
  const others = [ask('a'), ask('a'), ask('b')];
  await immediate();
  expect(begun).toEqual(['a', 'b']);
  expect(await Promise.all(others.slice(0, 2))).toEqual([false, false]);
  await endFirst();
  expect(begun).toEqual(['a', 'b', 'a']);
  await endFirst();
  await endFirst();
  expect(await Promise.all([first, second, others[2]])).toEqual([true, true, true]);
});

it('projects that take one turn after the other make room for one that was put off', async () => {
  const { ask, begun, endFirst } = stage(1);
  // Three steps at a time are under way or wait.
  const asked = ['a', 'b', 'c'].map(ask);
  expect(await ask('late')).toBe(false);
  await endFirst();
  expect(await asked[0]).toBe(true);
  expect(await ask('a')).toBe(false);
  const late = ask('late');
  for (let step = 0; step < 3; step += 1) await endFirst();
  expect(await late).toBe(true);
  expect(begun).toEqual(['a', 'b', 'c', 'late']);
});
