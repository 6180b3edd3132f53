import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busy } from '../../core/testing/busy.ts';
import { createCpuTurns } from './cpu-turns.ts';

it('handles the calls of an owner in order', async () => {
  const { inTurn } = createCpuTurns('calls');
  const order: number[] = [];
  await inTurn('heavy', () => busy(150));
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < 60; n += 1) {
    calls.push(
      inTurn('heavy', () => {
        order.push(n);
        busy(5);
      }),
    );
    await delay(1);
  }
  await Promise.all(calls);
  expect(order).toEqual(Array.from(calls.keys()));
});
