import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readCredentials } from './credentials.ts';

// The dashboard with hot reload. Forwards everything but `/app/` to a running API, by default that of `npm start`.
const environment = process.env;
const root = fileURLToPath(new URL('..', import.meta.url));
const started = await readCredentials(environment.DATA_DIR || '.data');
const apiUrl = environment.API_URL || started?.urls.api || 'http://127.0.0.1:8080';
process.stdout.write(`The dashboard calls the API at ${apiUrl}\n`);
const child = spawn(
  process.execPath,
  [`${root}node_modules/vite/bin/vite.js`, 'web', ...process.argv.slice(2)],
  { cwd: root, env: { ...environment, API_URL: apiUrl }, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
