import { expect, it } from 'vitest';
import { createCallLimit } from './limit-calls.ts';

/** Calls that take `seconds` of a clock that only the test moves. */
function stage() {
  let now = 0;
  const limit = createCallLimit(() => now);
  return {
    begin(projectId: string) {
      const answer = Promise.withResolvers<string>();
      return { ended: limit.run(projectId, () => answer.promise), answer: () => answer.resolve('answered') };
    },
    pass(seconds: number) {
      now += seconds * 1000;
    },
  };
}
type Call = ReturnType<ReturnType<typeof stage>['begin']>;

async function answerAll(calls: readonly Call[]): Promise<(string | undefined)[]> {
  for (const { answer } of calls) answer();
  return Promise.all(calls.map(({ ended }) => ended));
}
const made = async (calls: readonly Call[]) =>
  (await answerAll(calls)).filter((answer) => answer === 'answered').length;

const burst = (begin: (projectId: string) => Call, projectId: string) =>
  Array.from({ length: 40 }, () => begin(projectId));

it('limits the calls of projects whose receivers are slow, and those of no other', async () => {
  const { begin, pass } = stage();
  const slowProjects = ['a', 'b', 'c', 'd'];
  const first = slowProjects.map(begin);
  const quickly = begin('quick');
  expect(await made([quickly])).toBe(1);
  pass(10);
  expect(await made(first)).toBe(4);

  const slow = slowProjects.map((projectId) => burst(begin, projectId));
  const quick = burst(begin, 'quick');
  expect(await Promise.all(slow.map(made))).toEqual([8, 8, 4, 2]);
  expect(await made(quick)).toBe(40);
  pass(61);
  expect(await made([begin('a')])).toBe(1);
  expect(await made(burst(begin, 'a'))).toBe(40);
});

it('leaves slots to others in a burst to receivers that may not answer at all', async () => {
  const { begin } = stage();
  const bursts = ['a', 'b', 'c', 'd'].map((projectId) => burst(begin, projectId));
  expect(await Promise.all(bursts.map(made))).toEqual([8, 8, 4, 2]);
});
