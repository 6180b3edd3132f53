import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../local/testing/free-port.ts';
import { eventually } from './eventually.ts';

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Enables the compile cache, and ends the process when this one ends. */
const loader = 'local/bootstrap/entry.mjs';

/** Changed workflow code is bundled first, and the machine may be busy. */
const startTimeoutMs = 300_000;

export interface TestProcess {
  readonly pid: number;
  readonly output: string;
  readonly isRunning: boolean;
  kill(): Promise<void>;
  /** @returns the exit code */
  stop(): Promise<number | null>;
}

async function startProcess(
  entry: string,
  environment: Record<string, string>,
  probe: string,
  root: string,
): Promise<TestProcess> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child: ChildProcess = spawn(process.execPath, [loader, `${root}${entry}`], {
    cwd: root,
    // Also sets the compile cache as a variable: threads of the process have no other way to find it.
    env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // The channel alone must not keep a test file running.
  child.channel?.unref();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (isGone()) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  await eventually(
    async () => {
      if (isGone()) throw new Error(`${entry} ended while it was starting:\n${output}`);
      return fetch(probe).then(
        (answer) => answer.ok,
        () => false,
      );
    },
    (isReady) => isReady,
    startTimeoutMs,
  );
  return {
    pid: child.pid ?? 0,
    get output() {
      return output;
    },
    get isRunning() {
      return !isGone();
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

/**
 * Resolves when the process accepts requests. Requires `PORT` in the environment.
 *
 * @param root folder of the code, with a trailing slash
 */
export function startApiProcess(environment: Record<string, string>, root = ownRoot): Promise<TestProcess> {
  return startProcess('api/main.ts', environment, `http://127.0.0.1:${environment.PORT}/ready`, root);
}

/** Starts another API process of a product. */
export async function startAnotherApi(
  { environment }: { readonly environment: Record<string, string> },
  changes: Record<string, string> = {},
): Promise<TestProcess & { readonly url: string }> {
  const port = await freePort();
  const process = await startApiProcess({ ...environment, ...changes, PORT: String(port) });
  return Object.assign(process, { url: `http://127.0.0.1:${port}` });
}

/**
 * Resolves when the process polls for work, or with another `probe`. Requires `METRICS_PORT` in the environment.
 */
export function startWorkerProcess(
  environment: Record<string, string>,
  root = ownRoot,
  probe = '/ready',
): Promise<TestProcess> {
  return startProcess(
    'temporal/worker/main.ts',
    environment,
    `http://127.0.0.1:${environment.METRICS_PORT}${probe}`,
    root,
  );
}
