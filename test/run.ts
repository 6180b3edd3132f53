import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Everything that has to hold before a change is good, the quick checks first. */
const checks: { name: string; command: string[] }[] = [
  { name: 'types', command: ['typescript/bin/tsc', '--noEmit'] },
  {
    name: 'types of the workflow sandbox',
    command: ['typescript/bin/tsc', '--noEmit', '-p', 'temporal/workflows'],
  },
  { name: 'format and lint', command: ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'] },
  {
    name: 'import law',
    command: ['dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.mjs', '.'],
  },
  { name: 'unused code and dependencies', command: ['knip/bin/knip.js'] },
  { name: 'tests', command: ['vitest/vitest.mjs', 'run', ...process.argv.slice(2)] },
];

const root = fileURLToPath(new URL('..', import.meta.url));
// With arguments (parts of file names) only the tests run.
const wanted = process.argv.length > 2 ? checks.slice(-1) : checks;
for (const { name, command } of wanted) {
  const startedAt = performance.now();
  const [script = '', ...args] = command;
  const { status } = spawnSync(process.execPath, [`node_modules/${script}`, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'passed' : 'FAILED'}: ${name} (${seconds} s)`);
  if (status !== 0) process.exit(status ?? 1);
}
