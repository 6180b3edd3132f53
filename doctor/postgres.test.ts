import { randomUUID } from 'node:crypto';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { fileFixture } from '../test/setup/fixtures.ts';
import { checkPostgres, checkSnapshots } from './postgres.ts';
import { connectReadOnly } from './read-only.ts';

const database = useTestDatabase();
const session = fileFixture(
  () => connectReadOnly(database.url),
  ({ client }) => client.end(),
);

it('names the session whose old snapshot keeps deleted rows', async () => {
  expect(await checkSnapshots(session, 0)).toMatchObject({ level: 'ok' });
  const dump = new pg.Client({ connectionString: database.url, application_name: 'pg_dump' });
  await dump.connect();
  await dump.query('begin isolation level repeatable read');
  await dump.query('select\n  1');
  expect(await checkSnapshots(session)).toMatchObject({ level: 'ok' });
  const finding = await checkSnapshots(session, 0);
  expect(finding.level).toBe('warning');
  expect(finding.text).toMatch(/^a transaction of pg_dump \(process \d+: select 1\) has kept/);
  await dump.end();
});

it('says that the database accepts no writes', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const session = await connectReadOnly(url.href);
  const findings = await checkPostgres(session);
  await session.client.end();
  expect(findings).toContainEqual(
    expect.objectContaining({ level: 'error', text: expect.stringContaining('accepts no writes') }),
  );
});

it('says that the disk is full, although Postgres answers', async ({ skip }) => {
  const disk = await mkdtemp(path.join(tmpdir(), 'full-disk-'));
  const [server] = await database.sql<{ folder: string }>(
    `select current_setting('data_directory') as folder`,
  );
  const options = `size=64k,uid=${(await stat(server?.folder ?? '')).uid}`;
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { reject: false });
  if (mounted.failed) return skip('only root can make a small disk');
  const name = `full_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create tablespace ${name} location '${disk}'`);
  const url = new URL(database.url);
  url.searchParams.set('options', `-c temp_tablespaces=${name}`);
  const session = await connectReadOnly(url.href);
  const errors = (await checkPostgres(session)).filter(({ level }) => level === 'error');
  await session.client.end();
  await database.sql(`drop tablespace ${name}`);
  await execa('umount', [disk]);
  expect(errors).toMatchObject([
    { text: expect.stringMatching(/^can write nothing .+ No space left on device/) },
  ]);
});

it('counts the connections of other roles too', async () => {
  const role = `doctor_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create role ${role} login password 'secret'`);
  const url = Object.assign(new URL(database.url), { username: role, password: 'secret' });
  const session = await connectReadOnly(url.href);
  const texts = (await checkPostgres(session)).map(({ text }) => text);
  await session.client.end();
  await database.sql(`drop role ${role}`);
  const used = texts.flatMap((text) => /^(\d+) of \d+ connections/.exec(text)?.[1] ?? []);
  expect(Number(used[0])).toBeGreaterThan(1);
});
