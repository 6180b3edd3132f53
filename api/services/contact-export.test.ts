import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { insertContacts } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createContactExportService } from './contact-export.ts';
import { createProjectPlaces } from './project-places.ts';

const database = useTestDatabase();

it('lets other work run between small pieces, however many columns there are', async () => {
  const projectId = randomUUID();
  const { sql, orm } = database;
  await insertContacts(orm.em.fork(), projectId, 500);
  await sql(
    `insert into contact_fields (project_id, key, type) select $1, 'key ' || n, 'number' from generate_series(1, 2000) n`,
    [projectId],
  );
  await sql(
    `insert into contact_fields (project_id, key, type) values ($1, 'n', 'number'), ($1, 'constructor', 'string')`,
    [projectId],
  );
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const file = await createContactExportService(orm, createProjectPlaces(1)).start(projectId, {
    search: undefined,
    statuses: undefined,
    data: [],
  });
  const pieces: { text: string; turn: number }[] = [];
  setImmediate(count);
  for await (const text of file) pieces.push({ text, turn: turns });
  isOver = true;

  expect(pieces.length).toBeGreaterThan(10);
  expect(new Set(pieces.slice(1).map(({ turn }) => turn)).size).toBe(pieces.length - 1);
  for (const { text } of pieces) expect(text.length).toBeLessThan(70_000);
  const rows: Record<string, string>[] = parse(pieces.map(({ text }) => text).join(''), {
    bom: true,
    columns: true,
  });
  expect(rows.map(({ n, constructor: own }) => [n, own])).toEqual(
    Array.from({ length: 500 }, (_, index) => [`${index + 1}`, '']),
  );
});

it('finishes a file that has started, although its next read is refused', async () => {
  const projectId = randomUUID();
  await insertContacts(database.orm.em.fork(), projectId, 1_001);
  const places = createProjectPlaces(1, { mostWaiting: 1 });
  const file = await createContactExportService(database.orm, places).start(projectId, {
    search: undefined,
    statuses: undefined,
    data: [],
  });
  const gate = Promise.withResolvers<void>();
  const others = [1, 2].map(() => places.run(projectId, () => gate.promise));
  const end = async () => {
    await expect(places.run(projectId, async () => 1)).rejects.toThrow('Too many');
    gate.resolve();
    await Promise.all(others);
  };
  let text = '';
  let ended: Promise<void> | undefined;
  for await (const piece of file) {
    text += piece;
    ended ??= delay(50).then(end);
  }
  await ended;
  expect(parse(text, { bom: true, columns: true })).toHaveLength(1_001);
});
