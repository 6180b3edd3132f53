import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { createShutdown } from './shutdown.ts';

const create = (partTimeoutMs: number) => createShutdown(createLogger('silent'), partTimeoutMs);
const never = () => new Promise<void>(() => undefined);

it('ends the parts in reverse order, also after one that hangs or fails', async () => {
  const shutdown = create(20);
  const ended: string[] = [];
  shutdown.add('database', async () => void ended.push('database'));
  shutdown.add('hangs', never);
  shutdown.add('fails', () => Promise.reject(new Error('no')));
  shutdown.add('api', async () => void ended.push('api'));
  expect(await shutdown.run()).toBe(false);
  expect(ended).toEqual(['api', 'database']);
});

it('waits for the grace period of a part', async () => {
  const shutdown = create(1);
  shutdown.add('worker', () => delay(100), 60_000);
  expect(await shutdown.run()).toBe(true);
});
