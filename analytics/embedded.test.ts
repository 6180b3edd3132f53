import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'posthaste-embedded-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a separate program with `open()`, which opens the engine on a folder of this test. */
function startProgram(folder: string, program: string) {
  const preamble = `
    import { connectClickHouse } from '${new URL('./clickhouse.ts', import.meta.url)}';
    import { migrateClickHouse } from '${new URL('./migrate.ts', import.meta.url)}';
    const open = () => connectClickHouse({ embeddedPath: ${JSON.stringify(join(root, folder))}, database: 'shop' });
    const pair = { table: 'pair', columns: ['id'] };
    const count = { name: 'count', sql: 'SELECT count() AS n FROM pair', row: { parse: (row) => row } };
    const slow = { name: 'slow', sql: 'SELECT sleep(1) AS n', row: { parse: (row) => row } };`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', preamble + program]);
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]) => ({ code, signal, stdout: stdout.trim(), stderr }),
  );
  return { child, ended };
}

const clean = { code: 0, signal: null, stderr: '' };

describe('the embedded ClickHouse', () => {
  it('keeps its rows and ends without a trace when it is closed', async () => {
    const write = `
      const store = await open();
      await migrateClickHouse(store);
      await store.command('CREATE TABLE pair (id UInt32) ENGINE = MergeTree ORDER BY id');
      const running = [store.insert(pair, '1\\n2'), store.query(slow, {})];
      await Promise.all([store.close(), ...running]);`;
    expect(await startProgram('closed', write).ended).toMatchObject(clean);
    const read = `
      const store = await open();
      console.log((await store.query(count, {}))[0].n);
      await store.close();`;
    expect(await startProgram('closed', read).ended).toMatchObject({ ...clean, stdout: '2' });
  });

  it('ends without a trace when the process exits while it works', async () => {
    const program = `
      const store = await open();
      void store.query(slow, {});
      setTimeout(() => process.exit(0), 50);`;
    expect(await startProgram('exit', program).ended).toMatchObject(clean);
  });

  it('keeps what it had confirmed when the process is killed', async () => {
    const { child, ended } = startProgram(
      'killed',
      `
      const store = await open();
      await store.command('CREATE TABLE pair (id UInt32) ENGINE = MergeTree ORDER BY id');
      for (let id = 0; id < 20; id++) await store.insert(pair, String(id));
      console.log('stored');
      setInterval(() => {}, 1000);`,
    );
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await ended;
    const read = `
      const store = await open();
      console.log((await store.query(count, {}))[0].n);
      await store.close();`;
    expect(await startProgram('killed', read).ended).toMatchObject({ ...clean, stdout: '20' });
  });

  it('is unavailable while another process has the folder open', async () => {
    const holder = startProgram(
      'shared',
      `await open(); console.log('open'); process.stdin.once('data', () => process.exit(0));`,
    );
    await once(holder.child.stdout, 'data');
    const second = await startProgram('shared', `await open().catch((error) => console.log(error.message));`)
      .ended;
    expect(second.stdout).toContain('another process may be using it');
    holder.child.stdin.write('.');
    await holder.ended;
  });
});
