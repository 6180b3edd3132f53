import { expect, it } from 'vitest';
import type { DomainVerificationOutcome } from '../../contracts/domain-verification.ts';
import { limitChecks } from './limit-checks.ts';

it('puts checks off while the provider does not answer, instead of filling the activity slots', async () => {
  const answer = Promise.withResolvers<DomainVerificationOutcome>();
  let asked = 0;
  const check = limitChecks(() => {
    asked += 1;
    return answer.promise;
  });
  const checks = Array.from({ length: 40 }, (_, n) => check(`domain-${n}`));
  const settled = Promise.allSettled(checks);
  expect(asked).toBe(8);
  await expect(checks.at(-1)).rejects.toMatchObject({
    category: 'BENIGN',
    nextRetryDelay: expect.any(Number),
  });

  answer.resolve('pending');
  const outcomes = await settled;
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
  expect(await check('domain-41')).toBe('pending');
});

it('leaves places to other domains while those whose name servers do not answer are checked', async () => {
  let nowMs = 0;
  const answers: (() => void)[] = [];
  const check = limitChecks(
    () => new Promise((resolve) => answers.push(() => resolve('pending'))),
    () => nowMs,
  );
  const silent = Array.from({ length: 8 }, (_, n) => `silent-${n}`);
  const answerAll = () => {
    for (const answer of answers.splice(0)) answer();
  };
  const first = silent.map(check);
  nowMs += 2_500;
  answerAll();
  await Promise.all(first);

  const again = Promise.allSettled(silent.map(check));
  const others = Promise.all(Array.from({ length: 4 }, (_, n) => check(`other-${n}`)));
  answerAll();
  expect(await others).toHaveLength(4);
  expect((await again).filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
});
