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

/** Static checks of the code; together they take seconds. */
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

/** The tests in files whose path contains one of `args`; options are vitest's. */
export const tests = (args: string[]): Check => ({
  name: 'tests',
  command: ['node_modules/vitest/vitest.mjs', 'run', ...args],
});

/** Runs the checks one after the other until one fails; returns its exit code. */
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

/** Runs the script, forwards signals to it and waits for it. It ends by itself if this process dies. */
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
