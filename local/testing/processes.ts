import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processIds } from '../process-identity.ts';

export interface TestProcess {
  child: ChildProcess;
  pid: number;
  output(): string;
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** The environment is `env` and the cache of compiled modules, which halves the CPU time of a start. */
export function startTestProcess(
  command: string,
  args: string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string | undefined> } = {},
): TestProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { NODE_COMPILE_CACHE, ...(env ?? process.env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return {
    child,
    pid: child.pid,
    output: () => text,
    exit,
    async waitFor(pattern, timeoutMs = 120_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const match = pattern.exec(text);
        if (match !== null) return match;
        if (Date.now() > deadline || (child.exitCode !== null && child.stdout?.readableEnded)) {
          throw new Error(`no ${pattern} in:\n${text}`);
        }
        await delay(10);
      }
    },
  };
}

export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const startedAt = Date.now();
  while (!(await holds())) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${holds}`);
    await delay(Math.min(Math.max(10, waitedMs / 10), 250));
  }
}

export function processesWith(text: string): number[] {
  return processIds().filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** For example `Z` for a zombie; `undefined` when the process is gone. */
export function processState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}
