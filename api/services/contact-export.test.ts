import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { DomainError } from '../../core/errors.ts';
import { insertContacts } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createContactExportService } from './contact-export.ts';
import { createProjectSlots, type ProjectSlots } from './project-slots.ts';

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
  const file = await createContactExportService(orm, createProjectSlots(1)).start(projectId, {
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

it.each(['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'] as const)(
  'finishes a file that has started, although a read is refused (%s)',
  async (code) => {
    const projectId = randomUUID();
    await insertContacts(database.orm.em.fork(), projectId, 1_001);
    const slots = createProjectSlots(1);
    let reads = 0;
    const refuseSecond: ProjectSlots = {
      ...slots,
      async run(owner, read) {
        reads += 1;
        if (reads === 2) throw new DomainError(code, 'Too many at once');
        return slots.run(owner, read);
      },
    };
    const file = await createContactExportService(database.orm, refuseSecond).start(projectId, {
      search: undefined,
      statuses: undefined,
      data: [],
    });
    let text = '';
    for await (const piece of file) text += piece;
    expect(parse(text, { bom: true, columns: true })).toHaveLength(1_001);
    expect(reads).toBe(3);
  },
);
