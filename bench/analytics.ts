import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { withCleanUp } from './clean-up.ts';
import type { Figure } from './report.ts';

const file = fileURLToPath(new URL('./analytics-run.ts', import.meta.url));

/** Activity and analytics over ten million events, in a process of its own because the embedded engine lives in it. */
export function benchAnalytics(): Promise<Figure[]> {
  return withCleanUp(async (atEnd) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    atEnd(async () => child.kill('SIGTERM'));
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    if (code !== 0) throw new Error(`The analytics bench ended with ${code}`);
    // Written by the program above.
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Figure[];
  });
}
