import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Runs a process whose `start` is the given code. */
async function run(start: string) {
  const code = `
    import { createLogger } from './logger.ts';
    import { runProcess } from './run-process.ts';
    await runProcess(createLogger('info'), async (shutdown) => { ${start} });`;
  const options = { cwd: folder, reject: false } as const;
  const { exitCode, stdout } = await execa(process.execPath, ['--input-type=module', '-e', code], options);
  const lines = stdout.split('\n').map((line) => JSON.parse(line));
  return { exitCode, fatal: lines.find(({ level }) => level === 60), ending: lines.at(-1) };
}

it('a process that cannot start says so', async () => {
  const { exitCode, fatal, ending } = await run(`throw new Error('no key');`);
  expect(exitCode).toBe(1);
  expect(fatal).toMatchObject({ msg: 'could not start', err: { message: 'no key' } });
  expect(ending).toMatchObject({ reason: 'could not start', msg: 'ending' });
});

it('a process that runs and cannot go on does not say that it could not start', async () => {
  const { exitCode, fatal, ending } = await run(`return { ended: Promise.reject(new Error('lost')) };`);
  expect(exitCode).toBe(1);
  expect(fatal).toMatchObject({ msg: 'stopped working', err: { message: 'lost' } });
  expect(ending).toMatchObject({ reason: 'stopped working', msg: 'ending' });
});
