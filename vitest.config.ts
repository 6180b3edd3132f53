import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { FailedNames } from './test/setup/failed-names.ts';
import { LongestFirst } from './test/setup/longest-first.ts';

/** Compiled modules of earlier runs, for workers and the processes that tests start. */
const compileCache = fileURLToPath(new URL('.cache/node', import.meta.url));
const everything = ['**/*.test.ts'];
const generated = ['node_modules/**', '.data/**', '.cache/**'];

/** Test files that work in projects of one running product; the others in `test/` start what they need. */
const sharing = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(`${import.meta.dirname}/${file}`, 'utf8').includes('useSharedProduct'),
);

export default defineConfig({
  test: {
    globalSetup: ['test/setup/global-setup.ts'],
    setupFiles: ['test/setup/worker.ts'],
    pool: 'forks',
    maxWorkers: 4,
    // A worker runs many files with their products, so it should collect garbage less often than a service.
    execArgv: ['--max-semi-space-size=64', '--initial-old-space-size=1024'],
    // Far more than a busy machine needs; only a hang reaches it.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    experimental: { viteModuleRunner: false },
    env: { NODE_ENV: 'test', TZ: 'UTC', NODE_COMPILE_CACHE: compileCache },
    sequence: { sequencer: LongestFirst },
    // The files of a project share the modules that its workers have loaded. Each project has its own workers, so only
    // those of the first keep a product running.
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: sharing } },
      {
        extends: true,
        test: { name: 'parts', isolate: false, include: everything, exclude: [...generated, 'test/**'] },
      },
      {
        extends: true,
        test: {
          name: 'own',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...generated, ...sharing],
        },
      },
    ],
    // In CI, only failures are worth reading.
    ...(process.env.CI && {
      reporters: ['minimal', new FailedNames()],
      silent: 'passed-only' as const,
    }),
  },
});
