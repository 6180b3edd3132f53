import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createCallLimit } from './limit-calls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);

function stage() {
  const limit = createCallLimit();
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
