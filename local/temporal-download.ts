import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';

const sdkVersion: string = createRequire(import.meta.url)('@temporalio/worker/package.json').version;

/**
 * Fetches the Temporal CLI as the Temporal SDK does for its test environment. The SDK can't download without starting the
 * server, so it is started for a moment.
 */
async function download(target: string, version: string): Promise<void> {
  const folder = `${dirname(target)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  await mkdir(folder, { recursive: true });
  try {
    const runtime = Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    const server = await runtime.createEphemeralServer({
      type: 'dev-server',
      exe: {
        type: 'cached-download',
        downloadDir: folder,
        version,
        ttl: 0,
        sdkName: 'sdk-typescript',
        sdkVersion,
      },
      namespace: 'default',
      ip: '127.0.0.1',
      port: null,
      uiPort: null,
      dbFilename: null,
      ui: false,
      log: { format: 'pretty', level: 'error' },
      extraArgs: [],
    });
    await runtime.shutdownEphemeralServer(server);
    const program = (await readdir(folder)).find((name) => name.startsWith('temporal'));
    if (program === undefined) throw new Error('The download contained no program');
    await chmod(join(folder, program), 0o755);
    await mkdir(dirname(target), { recursive: true });
    await rename(join(folder, program), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [target = '', version = ''] = process.argv.slice(2);
try {
  await download(target, version);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.split('\n', 1)[0] : error}\n`);
  process.exitCode = 1;
}
