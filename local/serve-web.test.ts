import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeCredentials } from './credentials.ts';
import { freePort } from './testing/free-port.ts';
import { listen } from './testing/listen.ts';
import { startTestProcess } from './testing/processes.ts';

let api: Server;
let apiUrl: string;
let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'posthaste-serve-web-'));
  api = createServer((request, response) => response.end(`API: ${request.url}`));
  apiUrl = `http://127.0.0.1:${await listen(api)}`;
});
afterAll(async () => {
  api.close();
  await rm(data, { recursive: true });
});

it('serves the dashboard sources, and the API whose address npm start has stored', async () => {
  const none = { temporalUi: null, inbox: null, dashboard: null, inboundSmtp: null };
  const account = { email: 'a', password: 'b', projectId: 'c', publicKey: 'd', secretKey: 'e', domain: null };
  await writeCredentials(data, { ...account, urls: { ...none, api: apiUrl, docs: `${apiUrl}/docs` } });
  const url = `http://127.0.0.1:${await freePort()}`;
  const program = fileURLToPath(new URL('serve-web.ts', import.meta.url));
  const env = { PATH: process.env.PATH, DATA_DIR: data, NO_COLOR: '1' };
  const args = ['--host', '127.0.0.1', '--port', new URL(url).port, '--strictPort'];
  const web = startTestProcess(process.execPath, [program, ...args], { env });
  try {
    await web.waitFor(/Local: +http/);
    expect(web.output()).toContain(`The dashboard calls the API at ${apiUrl}`);
    const page = await (await fetch(`${url}/app/`)).text();
    expect(page).toContain('<base href="/app/">');
    expect(await (await fetch(`${url}/app/src/main.tsx`)).text()).toContain('createRoot');
    expect(await (await fetch(`${url}/contacts?limit=1`)).text()).toBe('API: /contacts?limit=1');
  } finally {
    web.child.kill('SIGTERM');
  }
  await web.exit;
  await expect(fetch(url)).rejects.toThrow();
});
