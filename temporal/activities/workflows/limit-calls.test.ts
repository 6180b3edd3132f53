import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createCallLimit } from './limit-calls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);

function stage() {
  const limit = createCallLimit(async () => true);
  return (projectId: string) => {
    const answer = Promise.withResolvers<string>();
    const call = { isMade: false, answer: () => answer.resolve('answered') };
    const ended = limit.run(projectId, () => {
      call.isMade = true;
      return answer.promise;
    });
    return Object.assign(call, { ended });
  };
}
type Begin = ReturnType<typeof stage>;
type Call = ReturnType<Begin>;

async function answerAll(calls: readonly Call[]): Promise<(string | undefined)[]> {
  for (const { answer } of calls) answer();
  return Promise.all(calls.map(({ ended }) => ended));
}
const countMade = async (calls: readonly Call[]) =>
  (await answerAll(calls)).filter((answer) => answer === 'answered').length;

const burst = (begin: Begin, projectId: string) => Array.from({ length: 40 }, () => begin(projectId));

it('makes all calls to quick receivers, and few at a time to those that are slow', async () => {
  const begin = stage();
  const slowProjects = ['a', 'b', 'c', 'd'];
  const first = slowProjects.map(begin);
  expect(await countMade([begin('quick')])).toBe(1);
  pass(10);
  expect(await countMade(first)).toBe(4);

  const slow = slowProjects.map((projectId) => burst(begin, projectId));
  const quick = burst(begin, 'quick');
  expect(await Promise.all(slow.map(countMade))).toEqual([8, 8, 4, 2]);
  expect(await countMade(quick)).toBe(40);
  pass(61);
  expect(await countMade([begin('a')])).toBe(1);
  expect(await countMade(burst(begin, 'a'))).toBe(40);
});

it('leaves slots to others in a burst to receivers that may not answer at all', async () => {
  const begin = stage();
  const bursts = ['a', 'b', 'c', 'd'].map((projectId) => burst(begin, projectId));
  expect(await Promise.all(bursts.map(countMade))).toEqual([8, 8, 4, 2]);
});

it('leaves slots to others when receivers hang that were quick', async () => {
  const begin = stage();
  const projects = ['a', 'b', 'c'];
  expect(await countMade(projects.map(begin))).toBe(3);
  const bursts = projects.map((projectId) => burst(begin, projectId));
  await Promise.any(bursts[0]?.map(({ ended }) => ended) ?? []);
  const isMade = (call: Call) => call.isMade;
  const made = bursts.map((calls) => calls.filter(isMade));
  expect(made.map(({ length }) => length)).toEqual([12, 12, 0]);
  const putOff = bursts.flat().filter((call) => !isMade(call));
  expect(new Set(await answerAll(putOff))).toEqual(new Set([undefined]));

  pass(3);
  const late = begin('a');
  expect(await late.ended).toBeUndefined();
  expect(late.isMade).toBe(false);
  expect(await countMade(burst(begin, 'c'))).toBe(40);
  await answerAll(made.flat());
});

const line = ['first', 'second', 'third'];
const enteredAt = (temporalId: string) => new Date(line.indexOf(temporalId));

/** A limit with all places of `a` taken, and the executions that it has woken. */
function fullStage(isRunning = (_temporalId: string) => true) {
  const woken: string[] = [];
  const limit = createCallLimit(async (temporalId) => {
    woken.push(temporalId);
    return isRunning(temporalId);
  });
  const begin = (projectId: string) => {
    const answer = Promise.withResolvers<void>();
    const ended = limit.run(projectId, () => answer.promise);
    const end = async () => {
      answer.resolve();
      await ended;
    };
    return { end };
  };
  const calls = Array.from({ length: 8 }, () => begin('a'));
  const endOne = async () => {
    pass(4);
    await calls.pop()?.end();
  };
  return { limit, woken, begin, endOne };
}

it('wakes the executions that wait one at a time as calls end, first come first served', async () => {
  const { limit, woken, begin, endOne } = fullStage();
  for (const each of line) expect(limit.putOffIfFull('a', each)).toBeGreaterThan(0);
  // One that asks again keeps its place.
  expect(limit.putOffIfFull('a', 'first', enteredAt('first'))).toBeGreaterThan(0);
  expect(woken).toEqual([]);
  await endOne();
  expect(woken).toEqual(['first']);
  // One that comes now waits behind the others, and one that was woken does not.
  expect(limit.putOffIfFull('a', 'late')).toBeGreaterThan(0);
  expect(limit.putOffIfFull('a', 'first', enteredAt('first'))).toBeUndefined();
  begin('a');
  await endOne();
  await endOne();
  await endOne();
  expect(woken).toEqual(['first', 'second', 'third', 'late']);
});

it('keeps the place of an execution whose turn another one took', async () => {
  const { limit, woken, begin, endOne } = fullStage();
  for (const each of line) limit.putOffIfFull('a', each);
  await endOne();
  // It came back by itself before the one that was woken.
  expect(limit.putOffIfFull('a', 'third', enteredAt('third'))).toBeUndefined();
  begin('a');
  expect(limit.putOffIfFull('a', 'first', enteredAt('first'))).toBeGreaterThan(0);
  await endOne();
  expect(woken).toEqual(['first', 'first']);
});

it('wakes the executions of projects in turn, and passes over those that have ended', async () => {
  const { limit, woken, begin, endOne } = fullStage((temporalId) => temporalId !== 'second');
  const others = Array.from({ length: 8 }, () => begin('b'));
  const full = Array.from({ length: 4 }, () => begin('c'));
  pass(4);
  for (const each of line) limit.putOffIfFull('a', each);
  for (const each of ['b1', 'b2']) limit.putOffIfFull('b', each);
  limit.putOffIfFull('c', 'c1');
  await endOne();
  await others.pop()?.end();
  expect(woken).toEqual(['first', 'b1']);
  await full.pop()?.end();
  await endOne();
  await others.pop()?.end();
  expect(woken).toEqual(['first', 'b1', 'c1', 'second', 'b2', 'third']);
});

it('wakes several while few calls to a quick receiver are under way: other processes may make those it wakes', async () => {
  const { limit, woken, begin } = fullStage();
  await begin('quick').end();
  for (const each of line) limit.putOff('quick', each);
  await begin('quick').end();
  expect(woken).toEqual(line);
});

it('lets executions come back by themselves the later, the more of their project wait', async () => {
  const { limit } = fullStage();
  const times = Array.from({ length: 1_000 }, (_, n) => limit.putOffIfFull('a', `${n}`) ?? 0);
  expect(times[0]).toBeLessThan(11_000);
  expect(times.at(-1)).toBeGreaterThan(185_000);
  const later = Array.from({ length: 11_000 }, (_, n) => limit.putOffIfFull('a', `later ${n}`) ?? 0);
  expect(Math.max(...later)).toBeLessThan(15 * 60_000);
  for (let n = 0; n < 2; n += 1) void limit.run('b', () => new Promise(() => undefined));
  expect(limit.putOffIfFull('b', 'own')).toBeUndefined();
});

it('wakes nobody for a call that was not made', async () => {
  const woken: string[] = [];
  const limit = createCallLimit(async (temporalId) => woken.push(temporalId) > 0);
  await limit.run('a', async () => undefined);
  const calls = Array.from({ length: 13 }, () => limit.run('a', () => new Promise(() => undefined)));
  limit.putOff('a', 'first');
  expect(await Promise.race(calls)).toBeUndefined();
  expect(woken).toEqual([]);
});
