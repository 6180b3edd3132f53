import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A script with its arguments. */
interface Check {
  name: string;
  command: [script: string, ...args: string[]];
}

const tsc = 'node_modules/typescript/bin/tsc';
/** Each checker of a project works out most types again. */
const onOneCore = ['--noEmit', '--checkers', '1'];

/** Static checks of the code. The longest come first, because they run side by side. */
const quickChecks: Check[] = [
  { name: 'types', command: [tsc, ...onOneCore] },
  { name: 'types of the dashboard', command: [tsc, ...onOneCore, '-p', 'web'] },
  { name: 'import law', command: ['test/law/import-law.ts'] },
  { name: 'unused code and dependencies', command: ['node_modules/knip/bin/knip.js'] },
  {
    name: 'format and lint',
    command: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  },
  {
    name: 'code that only tests use',
    command: ['node_modules/knip/bin/knip.js', '--production', '--config', 'knip.production.json'],
  },
  { name: 'types of the workflow sandbox', command: [tsc, ...onOneCore, '-p', 'temporal/workflows'] },
];

/** The tests in files whose path contains one of `args`; options are vitest's. */
export const tests = (args: string[]): Check => ({
  name: 'tests',
  command: ['node_modules/vitest/vitest.mjs', 'run', ...args],
});

/**
 * Runs the checks side by side, one on each core, and reports each when it ends. A signal ends them all.
 * @returns an exit code
 */
export async function runQuickChecks(): Promise<number> {
  const waiting = [...quickChecks];
  let failed = 0;
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      failed = (await run(check, 'pipe')) || failed;
      if (failed > 128) return;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return failed;
}

/** Reports the check when it ends. @returns its exit code */
export async function run({ name, command }: Check, output: 'inherit' | 'pipe' = 'inherit'): Promise<number> {
  const startedAt = performance.now();
  const { code, text } = await runScript(command, output);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${text}${code === 0 ? 'passed' : 'FAILED'}: ${name} (${seconds} s)`);
  return code;
}

/** Runs the script, forwards signals to it and waits for it. It ends by itself if this process dies. */
async function runScript([script, ...args]: Check['command'], output: 'inherit' | 'pipe') {
  const child = spawn(process.execPath, ['local/bootstrap/entry.mjs', `${root}${script}`, ...args], {
    cwd: root,
    stdio: ['inherit', output, output, 'ipc'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const handOn = (signal: NodeJS.Signals) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, handOn);
  await once(child, 'close');
  for (const signal of signals) process.off(signal, handOn);
  return { code: child.exitCode ?? 128 + constants.signals[child.signalCode ?? 'SIGKILL'], text };
}
