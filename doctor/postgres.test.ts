import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../test/setup/database.ts';
import { checkPostgres } from './postgres.ts';
import { connectReadOnly } from './read-only.ts';

const database = useTestDatabase();

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
