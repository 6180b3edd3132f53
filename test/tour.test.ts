import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestProcess, type TestProcess } from '../local/testing/processes.ts';
import { eventually } from './setup/eventually.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const executionSchema = z.object({ status: z.string(), exitReason: z.string().nullable() });
const statsSchema = z.object({ sentCount: z.number() });
const inboxSchema = z.object({ total: z.number() });

let folder: string;
let stack: TestProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-tour-'));
  const anyPort = {
    PORT: '0',
    INBOX_PORT: '0',
    TEMPORAL_PORT: '0',
    TEMPORAL_UI_PORT: '0',
    POSTGRES_PORT: '0',
    CLICKHOUSE_PORT: '0',
  };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...anyPort };
  stack = startTestProcess(process.execPath, [join(root, 'local/main.ts')], { cwd: folder, env });
  await stack.waitFor(/^Posthaste is ready: .*$/m);
});
afterAll(async () => {
  stack.child.kill('SIGTERM');
  await stack.exit;
  await rm(folder, { recursive: true });
});

/** The code blocks of a document, in order. */
async function commandsOf(document: string): Promise<string> {
  const text = await readFile(join(root, document), 'utf8');
  return [...text.matchAll(/^```bash\n([\s\S]*?)^```/gm)].map(([, block]) => block).join('\n');
}

it('runs unmodified, from the first email to the end of an automation', async () => {
  // On a busy machine, readers would wait longer than the tour says.
  const patience = 'sleep() { command sleep $(($1 * 5)); }';
  const script = `set -euo pipefail\n${patience}\n${await commandsOf('docs/tour.md')}\nprintf '\\n%s %s %s %s' $CAMPAIGN $EXECUTION $WORKFLOW $API`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, maxBuffer: 1e8 });
  expect(stdout).not.toContain('"success":false');
  expect(stdout).not.toMatch(/"error":["{]/);
  const [campaign, execution, workflow, api] = stdout.slice(stdout.lastIndexOf('\n') + 1).split(' ');
  const { secretKey, urls } = JSON.parse(await readFile(join(folder, '.data/credentials.json'), 'utf8'));
  const read = async <Schema extends z.ZodType>(schema: Schema, address: string) => {
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${secretKey}` } });
    return schema.parse(await answer.json());
  };
  const ended = await eventually(
    () => read(executionSchema, `${api}/workflows/${workflow}/executions/${execution}`),
    ({ status }) => status === 'EXITED',
  );
  expect(ended.exitReason).toBe('bought');
  await eventually(
    () => read(statsSchema, `${api}/campaigns/${campaign}/stats`),
    ({ sentCount }) => sentCount === 1,
  );
  // The emails of the template, the campaign and the welcome.
  await eventually(
    () => read(inboxSchema, `${urls.inbox}/api/messages?to=grace@example.com`),
    ({ total }) => total === 3,
  );
});
