import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fairness } from '../temporal/contracts/fairness.ts';
import { searchAttributeNames } from '../temporal/contracts/search-attributes.ts';
import { LocalStackError } from './failure.ts';
import { processStartTime } from './process-identity.ts';
import { type RunningTemporal, startTemporal, type TemporalOptions } from './temporal.ts';
import { findTemporalBinary } from './temporal-binary.ts';
import { freePort } from './testing/free-port.ts';
import { processesWith, startTestProcess, until } from './testing/processes.ts';

const holderScript = fileURLToPath(new URL('./testing/hold-service.ts', import.meta.url));
let root: string;
let directory: string;
let binary: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'posthaste-temporal-'));
  directory = join(root, 'temporal');
  binary = await findTemporalBinary({ environment: process.env });
});
afterAll(() => rm(root, { recursive: true }));

async function start(options: Partial<TemporalOptions> = {}): Promise<RunningTemporal> {
  const [port, uiPort] = [await freePort(), await freePort()];
  return startTemporal({ binary, directory, port, uiPort, log: () => undefined, ...options });
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** Starts an execution that waits for a worker that never comes. */
function startExecution(address: string, workflowId: string, attribute = 'ProjectId'): Promise<unknown> {
  return withClient(address, (client) =>
    client.workflow.start('waiting', {
      workflowId,
      taskQueue: 'nobody',
      searchAttributes: { [attribute]: ['p1'] },
    }),
  );
}

async function statusOf(address: string, workflowId: string): Promise<string> {
  return withClient(
    address,
    async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name,
  );
}

describe('the embedded Temporal', () => {
  it('is started again when it ends while it starts, once', async () => {
    const [program, marks] = [join(root, 'temporal-that-panics'), join(root, 'panics')];
    const panics = (atMost: number) =>
      writeFile(
        program,
        `#!/bin/sh
echo panic >> ${marks}
test "$(grep -c panic ${marks})" -gt ${atMost} && exec ${binary} "$@"
echo 'panic: the port is taken' >&2
exit 2
`,
        { mode: 0o755 },
      );
    const own = { binary: program, directory: join(root, 'panics-once') };
    await panics(1);
    const running = await start(own);
    await running.stop();
    await panics(9);
    await expect(start(own)).rejects.toThrow(
      'Temporal ended while it was starting: panic: the port is taken',
    );
    expect((await readFile(marks, 'utf8')).trim().split('\n')).toHaveLength(4);
  });

  it('answers, shows its UI, and leaves no process', async () => {
    const temporal = await start();
    expect(temporal.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect((await fetch(temporal.uiUrl)).status).toBe(200);
    await temporal.stop();
    expect(await temporal.exited).toMatchObject({ requested: true });
    expect(processesWith(directory)).toEqual([]);
    expect(processesWith(`posthaste-watcher\0${temporal.pid}\0`)).toEqual([]);
    await expect(fetch(temporal.uiUrl)).rejects.toThrow();
  });

  it('keeps executions over a restart', async () => {
    const first = await start();
    await startExecution(first.address, 'kept');
    await first.stop();
    const second = await start();
    expect(await statusOf(second.address, 'kept')).toBe('RUNNING');
    await second.stop();
  });

  it('adds search attributes that an existing database lacks', async () => {
    const searchAttributes = [...searchAttributeNames, 'AddedLater'];
    const temporal = await start({ searchAttributes });
    await startExecution(temporal.address, 'with-new-attribute', 'AddedLater');
    await withClient(temporal.address, async (client) => {
      const listed = async () => {
        const found = client.workflow.list({ query: "AddedLater = 'p1'" });
        for await (const { workflowId } of found) return workflowId;
        return undefined;
      };
      await until(async () => (await listed()) === 'with-new-attribute');
    });
    await temporal.stop();
  });

  it('serves small projects between the tasks of large ones', async () => {
    const temporal = await start();
    await withClient(temporal.address, async (client) => {
      const taskQueue = 'shared';
      const add = async (name: string, count: number, priority: { fairnessKey?: string }) => {
        for (let i = 0; i < count; i += 1) {
          await client.workflow.start('any', { workflowId: `${name}-${i}`, taskQueue, priority });
        }
      };
      const take = async () => {
        const task = await client.connection.withDeadline(Date.now() + 30_000, () =>
          client.workflowService.pollWorkflowTaskQueue({
            namespace: 'default',
            taskQueue: { name: taskQueue },
          }),
        );
        return task.workflowExecution?.workflowId?.split('-')[0];
      };
      await add('executions', 40, fairness('large', 'workflow-execution'));
      await add('campaign', 2, fairness('large', 'campaign'));
      await add('import', 2, fairness('small', 'contact-import'));
      await add('sweep', 2, fairness(null, 'sweep'));
      const first: unknown[] = [];
      for (let i = 0; i < 16; i += 1) first.push(await take());
      const others = first.filter((name) => name !== 'executions').toSorted();
      expect(others).toEqual(['campaign', 'campaign', 'import', 'import', 'sweep', 'sweep']);
    });
    await temporal.stop();
  });

  it('runs beside another server', async () => {
    const servers = await Promise.all([start(), start({ directory: join(root, 'other') })]);
    await Promise.all(servers.map(({ address }, index) => startExecution(address, `side-by-side-${index}`)));
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('creates the requested namespace', async () => {
    const temporal = await start({ directory: join(root, 'namespace'), namespace: 'mail' });
    await withClient(temporal.address, async (client) => {
      const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace: 'mail' });
      expect(namespaceInfo?.name).toBe('mail');
    });
    await temporal.stop();
  });
});

describe('after everything was killed', () => {
  async function killed(workflowId: string, killWatcher: boolean): Promise<number> {
    const port = await freePort();
    const args = [holderScript, 'temporal', directory, String(port), String(await freePort())];
    const holder = startTestProcess(process.execPath, args, { env: process.env });
    const server = Number((await holder.waitFor(/temporal (\d+)/))[1]);
    await startExecution(`127.0.0.1:${port}`, workflowId);
    const watchers = processesWith(`posthaste-watcher\0${server}\0`);
    expect(watchers).toHaveLength(1);
    if (killWatcher) for (const pid of watchers) process.kill(pid, 'SIGKILL');
    holder.child.kill('SIGKILL');
    await holder.exit;
    return server;
  }

  it('a start ends the old server, which is still running, and keeps its executions', async () => {
    const server = await killed('before-kill', true);
    expect(processStartTime(server)).toBeDefined();
    const temporal = await start();
    expect(processStartTime(server)).toBeUndefined();
    expect(await statusOf(temporal.address, 'before-kill')).toBe('RUNNING');
    await temporal.stop();
  });

  it('a start keeps what the server had acknowledged before it was killed', async () => {
    const server = await killed('before-crash', true);
    process.kill(server, 'SIGKILL');
    const temporal = await start();
    expect(await statusOf(temporal.address, 'before-crash')).toBe('RUNNING');
    await temporal.stop();
  });
});

describe('a start that cannot succeed says why', () => {
  it('with a port that is taken', async () => {
    const first = await start();
    const port = Number(first.address.split(':')[1]);
    const attempt = start({ directory: join(root, 'taken'), port });
    await expect(attempt).rejects.toThrow(LocalStackError);
    await expect(attempt).rejects.toThrow(`Port ${port} (TEMPORAL_PORT) is taken`);
    await first.stop();
  });

  it('when its signal fires before the server is ready', async () => {
    const abort = new AbortController();
    const target = join(root, 'given-up');
    const neverReady = join(root, 'never-ready');
    await writeFile(neverReady, '#!/bin/sh\nwhile :; do sleep 1; done\n', { mode: 0o755 });
    const starting = start({ binary: neverReady, directory: target, signal: abort.signal });
    await until(() => processesWith(target).length > 0);
    abort.abort();
    await expect(starting).rejects.toThrow(/abort/i);
    expect(processesWith(target)).toEqual([]);
  });
});
