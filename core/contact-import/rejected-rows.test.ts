import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readImportFormat } from './import-format.ts';
import type { ImportRow } from './read-row.ts';
import { readRows } from './read-rows.ts';
import { createRejectionWriter } from './rejected-rows.ts';

interface ImportedFile {
  text: string;
  header: string[];
  delimiter?: string;
}

async function read(text: string): Promise<ImportRow[]> {
  const bytes = Buffer.from(text);
  const result = readImportFormat(bytes, { encoding: 'utf-8', damaged: false }, bytes.length);
  if (!result.ok) throw new Error(result.message);
  async function* pieces() {
    yield bytes;
  }
  const rows: ImportRow[] = [];
  for await (const some of readRows(pieces(), result.format)) rows.push(...some);
  return rows;
}

async function rejectedOf({ text, header, delimiter = ',' }: ImportedFile): Promise<string> {
  const writer = createRejectionWriter(header, delimiter);
  const rows = (await read(text)).flatMap((row) => (row.ok ? [] : [writer.row(row)]));
  return writer.header + rows.join('');
}

it('writes rows with their columns as they stand in the file, after a number and a reason', async () => {
  const text = [
    'name;email;note;balance',
    'Ada;ada;"a ""b""; c\nd";-5',
    'Bob;bob@example.com;;1',
    'Eve;eve;=1+1;-1;too;long',
    'Short',
  ].join('\n');
  expect(await rejectedOf({ text, header: ['name', 'email', 'note', 'balance'], delimiter: ';' })).toBe(
    [
      '\ufeffRejected row;Rejected because;name;email;note;balance',
      '2;This is not an email address;Ada;ada;"a ""b""; c\nd";-5',
      "4;This is not an email address;Eve;eve;'=1+1;-1;too;long",
      '5;The row has no email address;Short',
      '',
    ].join('\r\n'),
  );
});

it('replaces the number and the reason of an earlier import', async () => {
  const header = ['Rejected row', 'rejected because', 'email', 'plan'];
  const text = `${header.join(',')}\n17,Why,ada,pro\n`;
  expect(await rejectedOf({ text, header })).toBe(
    '\ufeffRejected row,Rejected because,email,plan\r\n2,This is not an email address,ada,pro\r\n',
  );
});

it('an import leaves out the number and the reason, and rows that have nothing else', async () => {
  const text = 'Rejected row,Rejected because,email,plan\n17,Why,ada@example.com,pro\nThere are more.\n';
  expect(await read(text)).toMatchObject([{ email: 'ada@example.com', data: { plan: 'pro' } }]);
});

it('keeps no more cells of a row than a file may have columns', async () => {
  const text = `email\nada${',x'.repeat(5_000)}\n`;
  const [, row = ''] = (await rejectedOf({ text, header: ['email'] })).split('\r\n');
  expect(row.split(',')).toHaveLength(1_002);
});

it('can be imported again when the file had as many columns as it may have', async () => {
  const header = ['email', ...Array.from({ length: 999 }, (_, index) => `c${index}`)];
  const rejected = await rejectedOf({ text: `${header.join(',')}\nada,1\n`, header });
  expect(await read(rejected.replace(',ada', ',ada@example.com'))).toMatchObject([{ data: { c0: 1 } }]);
});

it('a corrected row is imported as it would have been from the first file', async () => {
  const word = fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', 'a', '"', ',', ';', '1', '.', 'e', '\t', '\n', '＝', ' '),
    minLength: 1,
    maxLength: 6,
  });
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(',', ';'),
      async (cells, delimiter) => {
        const header = ['email', ...cells.map((_, index) => `c${index}`)];
        const fileOf = (email: string) =>
          [header, [email, ...cells.map(quote)]].map((row) => row.join(delimiter)).join('\n');
        const rejected = await rejectedOf({ text: fileOf('ada'), header, delimiter });
        const corrected = rejected.replace(`${delimiter}ada`, `${delimiter}ada@example.com`);
        const [first] = await read(fileOf('ada@example.com'));
        const [second] = await read(corrected);
        const dataOf = (row: ImportRow | undefined) => (row?.ok ? row.data : row);
        expect(dataOf(second)).toEqual(dataOf(first));
      },
    ),
    { numRuns: 500 },
  );
});
