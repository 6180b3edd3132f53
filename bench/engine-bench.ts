import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { dismissWatcher, startWatcher } from '../local/death-watcher.ts';
import { withCleanUp } from './clean-up.ts';
import type { BenchRun, Figure } from './report.ts';

export function emitFigure(figure: Figure): void {
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}

/**
 * Runs a program of this folder that measures its own ClickHouse, and reports each figure it emits. A separate process,
 * because the program measures its own CPU and memory including its children.
 */
export function runEngineBench(
  program: string,
  args: readonly string[],
  report: BenchRun['report'],
): Promise<void> {
  return withCleanUp(async (atEnd) => {
    const file = fileURLToPath(new URL(program, import.meta.url));
    const child = spawn(process.execPath, [file, ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const watcher = startWatcher(child.pid ?? 0, 'SIGTERM', 5_000);
    const closed = once(child, 'close');
    atEnd(async () => {
      child.kill('SIGTERM');
      await closed;
      await dismissWatcher(watcher);
    });
    // as: `emitFigure` of the program wrote the line.
    for await (const line of createInterface(child.stdout)) report(JSON.parse(line) as Figure);
    const [code] = await closed;
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
  });
}
