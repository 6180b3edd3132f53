import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Workflow code that has changed is bundled first, and the machine may be busy. */
const startTimeoutMs = 120_000;

/** A process of the product, as production runs it. */
export interface TestProcess {
  readonly pid: number;
  /** What it logged so far. */
  readonly output: string;
  /** SIGKILL: no line of the process runs after this. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
}

async function startProcess(
  entry: string,
  environment: Record<string, string>,
  probe: string,
): Promise<TestProcess> {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

/** Starts `api/main.ts`; it accepts requests when this answers. `PORT` is part of the environment. */
export function startApiProcess(environment: Record<string, string>): Promise<TestProcess> {
  return startProcess('api/main.ts', environment, `http://127.0.0.1:${environment.PORT}/ready`);
}

/** Starts `temporal/worker/main.ts`; it polls when this answers. `METRICS_PORT` is part of the environment. */
export function startWorkerProcess(environment: Record<string, string>): Promise<TestProcess> {
  return startProcess(
    'temporal/worker/main.ts',
    environment,
    `http://127.0.0.1:${environment.METRICS_PORT}/ready`,
  );
}
