import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', '.data/**', '.cache/**'],
    globalSetup: ['test/setup/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    experimental: { viteModuleRunner: false },
    env: { NODE_ENV: 'test', TZ: 'UTC' },
  },
});
