import { expect, it } from 'vitest';
import { createCallLimit } from './limit-calls.ts';

/** Calls that take `seconds` of a clock that only the test moves. */
function stage() {
  let now = 0;
  const limit = createCallLimit(() => now);
  return {
    begin(projectId: string) {
      const answer = Promise.withResolvers<string>();
      let isMade = false;
      const make = () => {
        isMade = true;
        return answer.promise;
      };
      const ended = limit.run(projectId, make);
      return { ended, isMade: () => isMade, answer: () => answer.resolve('answered') };
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
  expect(await made([begin('quick')])).toBe(1);

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

it('leaves slots to others when receivers that answered quickly hang', async () => {
  const { begin, pass } = stage();
  expect(await made([begin('a'), begin('b')])).toBe(2);
  const bursts = ['a', 'b', 'c'].map((projectId) => burst(begin, projectId));
  const underWay = bursts.map((calls) => calls.filter(({ isMade }) => isMade()).length);
  expect(underWay).toEqual([24, 8, 2]);
  pass(1);
  const late = bursts.flat().filter(({ isMade }) => !isMade());
  expect(new Set(await Promise.all(late.map(({ ended }) => ended)))).toEqual(new Set([undefined]));
});
