import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface HttpFront {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
}

export async function startHttpFront(directory: string, port = 0): Promise<HttpFront> {
  const program = fileURLToPath(new URL('./http-front.ts', import.meta.url));
  const child = spawn(process.execPath, [program, directory, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const listening = Promise.race([
    once(child.stdout, 'data'),
    exited.then(([code]) => Promise.reject(new Error(`the HTTP front ended with ${code}`))),
  ]);
  const actualPort = Number(String((await listening)[0]));
  return {
    url: `http://127.0.0.1:${actualPort}`,
    port: actualPort,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
