import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A script with its arguments. */
interface Check {
  name: string;
  command: [script: string, ...args: string[]];
}

/** What holds of the code as it is written; seconds together. */
export const quickChecks: Check[] = [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--noEmit'] },
  {
    name: 'types of the workflow sandbox',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'temporal/workflows'],
  },
  { name: 'types of the dashboard', command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'] },
  {
    name: 'format and lint',
    command: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  },
  { name: 'import law', command: ['test/law/import-law.ts'] },
  { name: 'unused code and dependencies', command: ['node_modules/knip/bin/knip.js'] },
  {
    name: 'code that only tests use',
    command: ['node_modules/knip/bin/knip.js', '--production', '--config', 'knip.production.json'],
  },
];

/** The tests of files whose path contains one of `args`; the options are those of vitest. */
export const tests = (args: string[]): Check => ({
  name: 'tests',
  command: ['node_modules/vitest/vitest.mjs', 'run', ...args],
});

/** Runs one after the other up to the first that fails; answers its exit code. */
export async function run(checks: Check[]): Promise<number> {
  for (const { name, command } of checks) {
    const startedAt = performance.now();
    const code = await runScript(command);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name} (${seconds} s)`);
    if (code !== 0) return code;
  }
  return 0;
}

/** Hands signals on and waits for the script, which ends by itself when this process is gone. */
async function runScript([script, ...args]: Check['command']): Promise<number> {
  const child = spawn(process.execPath, ['local/bootstrap/entry.mjs', `${root}${script}`, ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const handOn = (signal: NodeJS.Signals) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, handOn);
  await once(child, 'exit');
  for (const signal of signals) process.off(signal, handOn);
  return child.exitCode ?? 128 + constants.signals[child.signalCode ?? 'SIGKILL'];
}
