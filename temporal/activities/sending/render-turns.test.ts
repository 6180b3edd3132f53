import { setTimeout as delay, setImmediate as yieldToLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busy } from '../../../core/testing/busy.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { RenderTurns } from './render-turns.ts';

async function renderOnce(turns: RenderTurns, projectId: string, work: () => void): Promise<void> {
  await yieldToLoop();
  const turn = await turns.take(projectId);
  turn.render(work);
  turn.end();
}

async function run(turns: RenderTurns, projectIds: readonly string[], ms: number): Promise<string[]> {
  const log: string[] = [];
  const runs = projectIds.map((projectId) =>
    renderOnce(turns, projectId, () => {
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

it('projects that render slowly share the places of those that may wait', async () => {
  const turns = new RenderTurns(0);
  await run(turns, ['a', 'a', 'a', 'b', 'b', 'b'], 40);
  const waiting = { a: 0, b: 0 };
  const enter = async (projectId: 'a' | 'b') => {
    waiting[projectId] += 1;
    const turn = await turns.takeUnlessCrowded(projectId);
    if (turn === undefined) waiting[projectId] -= 1;
    else turn.end();
  };
  const held = await turns.take('a');
  const entered = [...Array(20).fill('a'), ...Array(20).fill('b')].map(enter);
  await eventually(
    async () => waiting,
    ({ a, b }) => a === 10 && b === 5,
  );
  held.end();
  await Promise.all(entered);
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
    ...Array.from({ length: 3 }, () => renderOnce(turns, 'a', note('a', 40))),
    renderOnce(turns, 'b', note('b', 0)),
  ]);
  expect(log).toEqual(['a', 'b', 'a', 'a']);
});

it('however many calls render, the event loop does other work once they have blocked it for a while', async () => {
  const turns = new RenderTurns(1);
  const log: string[] = [];
  const call = async (projectId: string) => {
    const turn = await turns.take(projectId);
    for (let n = 0; n < 3; n += 1) {
      while (turn.mustPause()) await turn.pause();
      turn.render(() => {
        log.push('rendering');
        busy(16);
      });
    }
    turn.end();
  };
  const ended = Promise.all(Array.from({ length: 12 }, (_, n) => call(n % 2 === 0 ? 'a' : 'b'))).then(
    () => true,
  );
  while (!(await Promise.race([ended, yieldToLoop(false)]))) log.push('other work');
  const together = log
    .join()
    .split('other work')
    .map((part) => part.split('rendering').length - 1);
  expect(together.reduce((sum, count) => sum + count, 0)).toBe(36);
  expect(Math.max(...together)).toBeLessThanOrEqual(2);
});

it('calls that wait for the event loop go on in turns of their projects', async () => {
  const turns = new RenderTurns(1);
  const rendered = { a: 0, b: 0 };
  const isOver = () => rendered.a + rendered.b >= 100;
  const call = async (projectId: 'a' | 'b') => {
    const turn = await turns.take(projectId);
    while (!isOver()) {
      while (turn.mustPause()) await turn.pause();
      turn.render(() => {
        rendered[projectId] += 1;
        busy(16);
      });
    }
    turn.end();
  };
  await Promise.all([call('a'), call('a'), call('a'), call('b'), call('b')]);
  expect(Math.min(rendered.a, rendered.b)).toBeGreaterThan(30);
});
