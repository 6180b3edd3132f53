import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FailedNames } from './test/setup/failed-names.ts';

/** Tests that kill and restart processes mostly wait, some of them for minutes. */
const isPatient = ({ moduleId }: TestSpecification) => /fault|two-processes|processes\.test/.test(moduleId);

/** The patient ones begin first and go on beside the others, so that no core idles behind them at the end. */
class PatientFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isPatient), ...sorted.filter((file) => !isPatient(file))];
  }
}

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
    sequence: { sequencer: PatientFirst },
    // Where nobody watches, what failed is all that is worth reading, and what passed need say nothing.
    ...(process.env.CI && { reporters: ['minimal', new FailedNames()], silent: 'passed-only' as const }),
  },
});
