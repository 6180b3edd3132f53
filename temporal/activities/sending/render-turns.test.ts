import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busy } from '../../../core/testing/busy.ts';
import { RenderTurns } from './render-turns.ts';

async function run(turns: RenderTurns, projectIds: readonly string[], ms: number): Promise<string[]> {
  const log: string[] = [];
  const runs = projectIds.map((projectId) =>
    turns.run(projectId, () => {
      log.push(projectId);
      busy(ms);
    }),
  );
  const ended = Promise.all(runs).then(() => true);
  while (!(await Promise.race([ended, delay(1, false)]))) log.push('other work');
  return log;
}

it('after three long renderings, the event loop does other work between any two', async () => {
  const log = await run(new RenderTurns(1), Array(12).fill('a'), 40);
  const places = log.flatMap((entry, index) => (entry === 'a' ? [index] : []));
  expect(places).toHaveLength(12);
  for (const [n, place] of places.entries()) if (n > 3) expect(log[place - 1]).toBe('other work');
});

it('projects that render slowly take turns', async () => {
  const turns = new RenderTurns(0);
  await run(turns, ['a', 'a', 'a', 'b', 'b', 'b'], 40);
  const log = await run(turns, [...Array(4).fill('a'), 'b', 'b'], 40);
  expect(log.filter((entry) => entry !== 'other work')).toEqual(['a', 'a', 'b', 'a', 'b', 'a']);
});

it('a project that renders fast waits for none that renders slowly', async () => {
  const turns = new RenderTurns(1);
  await run(turns, ['a', 'a', 'a'], 40);
  const log: string[] = [];
  const note = (projectId: string, ms: number) => () => {
    log.push(projectId);
    busy(ms);
  };
  await Promise.all([
    ...Array.from({ length: 3 }, () => turns.run('a', note('a', 40))),
    turns.run('b', note('b', 0)),
  ]);
  expect(log).toEqual(['a', 'b', 'a', 'a']);
});
