import { expect, it } from 'vitest';
import { startChildProcess } from './child-process.ts';
import { untilReady } from './until-ready.ts';

const panic = `
  console.error('panic: no port is free');
  console.error('goroutine 1 [running]:');
  for (let n = 0; n < 400; n += 1) console.error('main.go:' + n + ' errors.go');
  process.exit(2);`;

it('a program that ends while it starts is quoted with its reason, not with the end of its trace', async () => {
  const child = await startChildProcess({
    name: 'Go',
    command: process.execPath,
    args: ['-e', panic],
    environment: {},
    log: () => undefined,
  });
  const ready = untilReady(child, { name: 'Go', isReady: async () => false, signal: undefined });
  await expect(ready).rejects.toThrow('Go ended while it was starting: panic: no port is free');
});
