import { fileURLToPath } from 'node:url';
import {
  type ChildOptions,
  type ChildProcessOptions,
  type RunningChild,
  startChildProcess,
  stopLeftoverChild,
} from './child-process.ts';
import { type PortName, requireFreePort } from './ports.ts';
import { untilReady } from './until-ready.ts';

interface OwnProgram
  extends ChildOptions,
    Pick<ChildProcessOptions, 'name' | 'environment' | 'stopTimeoutMs'> {
  script: URL;
  pidFile: string;
  ports: Partial<Record<PortName, number>>;
  /** Beginning of the line that the program prints once it is ready. */
  readyLine: string;
}

/**
 * Runs one of our scripts in a separate process, after ending a leftover of an earlier run.
 * @throws LocalStackError when a port is taken or the program does not start
 */
export async function startOwnProgram(program: OwnProgram): Promise<RunningChild> {
  const { script, ports, readyLine, environment, ...options } = program;
  const { name, pidFile, signal, stopTimeoutMs } = options;
  await stopLeftoverChild(pidFile, stopTimeoutMs);
  // as: the keys of a partial record of PortNames.
  for (const port of Object.keys(ports) as PortName[]) await requireFreePort(port, ports[port] ?? 0);
  let isReady = false;
  const child = await startChildProcess({
    ...options,
    command: process.execPath,
    args: [fileURLToPath(script)],
    environment: { PATH: '/usr/bin:/bin', ...compileCache(), ...environment },
    log(line) {
      isReady ||= line.startsWith(readyLine);
      options.log(line);
    },
  });
  await untilReady(child, { name, isReady: async () => isReady, signal });
  return child;
}

/** With a cache of compiled modules, Node loads in half the time. */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
