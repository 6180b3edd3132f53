import fc from 'fast-check';
import { expect, it } from 'vitest';
import { columnOfKey } from '../contact-import/columns.ts';
import { readImportFormat } from '../contact-import/import-format.ts';
import { readRows } from '../contact-import/read-rows.ts';
import { csvRow } from './csv-row.ts';

async function importOf(text: string) {
  const bytes = Buffer.from(text);
  const read = readImportFormat(bytes, { encoding: 'utf-8', damaged: false }, bytes.length);
  if (!read.ok) throw new Error(read.message);
  async function* pieces() {
    yield bytes;
  }
  const rows: unknown[] = [];
  for await (const some of readRows(pieces(), read.format))
    rows.push(...some.map(({ cells, ...row }) => row));
  return rows;
}

it('an import removes the apostrophe that an export has prefixed', async () => {
  const text =
    csvRow(['id', 'email', 'subscribed', '=key', 'phone', 'note', 'quoted']) +
    csvRow(['1', '+ada@example.com', true, '@ada', '+49 30 1234', '-5', "'=x"]);
  expect(await importOf(text)).toEqual([
    {
      row: 2,
      ok: true,
      email: '+ada@example.com',
      subscribed: true,
      data: { '=key': '@ada', phone: '+49 30 1234', note: '-5', quoted: "'=x" },
    },
  ]);
});

it('whatever the text', async () => {
  const word = fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', 'a', '"', ',', '＝', ' '),
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(
      word.filter((text) => text.trim() === text),
      async (text) => {
        const [row] = await importOf(csvRow(['email', 'note']) + csvRow(['ada@example.com', text]));
        expect(row).toMatchObject({ data: { note: text } });
      },
    ),
  );
});

it('keys of data that are named like a column of the contact stay keys of data', async () => {
  const keys = [
    'subscribed',
    'Email',
    'data.subscribed',
    'data.data.email',
    'data.plan',
    'Data.email',
    'plan',
  ];
  const header = csvRow(['id', 'email', 'subscribed', ...keys.map(columnOfKey)]);
  const row = csvRow(['1', 'ada@example.com', false, ...keys.map((key) => `x${key}`)]);
  expect(await importOf(header + row)).toEqual([
    {
      row: 2,
      ok: true,
      email: 'ada@example.com',
      subscribed: false,
      data: Object.fromEntries(keys.map((key) => [key, `x${key}`])),
    },
  ]);
});
