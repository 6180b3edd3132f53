import { setImmediate as yieldToLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readImportFormat } from './import-format.ts';
import { type BadRow, type GoodRow, readRow } from './read-row.ts';
import { readRows } from './read-rows.ts';
import { createEncodingDetector } from './text-encoding.ts';

type ReadRow = Omit<GoodRow, 'cells'> | Omit<BadRow, 'cells'>;

/** Reads a file as an import does, in pieces of the given size. */
async function read(file: string | Uint8Array, pieceBytes = 7): Promise<ReadRow[]> {
  const bytes = Buffer.from(file);
  const detector = createEncodingDetector();
  detector.add(bytes);
  const result = readImportFormat(bytes, detector.detect(), bytes.length);
  if (!result.ok) throw new Error(result.message);
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield bytes.subarray(start, start + pieceBytes);
    }
  }
  const rows: ReadRow[] = [];
  for await (const some of readRows(pieces(), result.format))
    rows.push(...some.map(({ cells, ...row }) => row));
  return rows;
}

const good = (row: number, email: string, data: object, subscribed?: boolean) => ({
  row,
  ok: true,
  email,
  subscribed,
  data,
});
const bad = (row: number, email: string, message: RegExp) => ({
  row,
  ok: false,
  email,
  message: expect.stringMatching(message),
});
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('what spreadsheets write', () => {
  const cases: [string, string | Uint8Array, object[]][] = [
    ['UTF-8 with a byte order mark', '\ufeffemail,name\na@b.co,Zoë', [good(2, 'a@b.co', { name: 'Zoë' })]],
    [
      'UTF-16, little endian',
      Buffer.from('\ufeffemail\tname\r\na@b.co\tZoë 🎉\r\n', 'utf16le'),
      [good(2, 'a@b.co', { name: 'Zoë 🎉' })],
    ],
    [
      'UTF-16, big endian',
      Buffer.from('\ufeffemail,name\r\na@b.co,Zoë\r\n', 'utf16le').swap16(),
      [good(2, 'a@b.co', { name: 'Zoë' })],
    ],
    [
      'invisible characters around or in an address, as copied from a web page',
      'email\n\u200ba@b.co\n\u202aa\u00ad@b.co\u202c\n\ufeffa@b.co\u2060',
      [good(2, 'a@b.co', {}), good(3, 'a@b.co', {}), good(4, 'a@b.co', {})],
    ],
    ['Latin-1', latin1('email;name\na@b.co;Jürgen Müller'), [good(2, 'a@b.co', { name: 'Jürgen Müller' })]],
    [
      'Windows-1252',
      Buffer.concat([latin1('email,price\na@b.co,5 '), Buffer.of(0x80), latin1(' \x96 dear')]),
      [good(2, 'a@b.co', { price: '5 € – dear' })],
    ],
    [
      'UTF-8 with a few broken bytes',
      Buffer.concat([
        Buffer.from('email,name\na@b.co,Zoë\nb@b.co,Jürgen\nc@b.co,'),
        Buffer.of(0xe9),
        Buffer.from('\nd@b.co,Ünal'),
      ]),
      [
        good(2, 'a@b.co', { name: 'Zoë' }),
        good(3, 'b@b.co', { name: 'Jürgen' }),
        bad(4, 'c@b.co', /invalid UTF-8/),
        good(5, 'd@b.co', { name: 'Ünal' }),
      ],
    ],
    ['semicolons', 'email;a\na@b.co;1,5', [good(2, 'a@b.co', { a: '1,5' })]],
    ['tabs', 'a\temail\tb\nx y\ta@b.co\tz', [good(2, 'a@b.co', { a: 'x y', b: 'z' })]],
    ['tabs and an empty first cell', '\temail\tb\n\ta@b.co\tz', [good(2, 'a@b.co', { b: 'z' })]],
    [
      'the delimiter of another file in a quoted name',
      '"name, first";email\n"Lovelace, Ada";a@b.co',
      [good(2, 'a@b.co', { 'name, first': 'Lovelace, Ada' })],
    ],
    [
      'spaces around quotes',
      '"email" , "name" ,"note"\n"a@b.co" , "Lovelace, Ada" ,"6" tall" ',
      [good(2, 'a@b.co', { name: 'Lovelace, Ada', note: '"6" tall"' })],
    ],
    ['the line that names the delimiter', 'sep=;\r\nemail;a\r\na@b.co;1\r\n', [good(2, 'a@b.co', { a: 1 })]],
    ['one column', 'email\na@b.co\nb@b.co\n', [good(2, 'a@b.co', {}), good(3, 'b@b.co', {})]],
    ['Windows line ends', 'email,a\r\na@b.co,1\r\n', [good(2, 'a@b.co', { a: 1 })]],
    [
      'old Macintosh line ends',
      'email,a\ra@b.co,1\rb@b.co,2',
      [good(2, 'a@b.co', { a: 1 }), good(3, 'b@b.co', { a: 2 })],
    ],
    [
      'mixed line ends',
      'email,a\na@b.co,1\r\nb@b.co,2\nc@b.co,3\r\n',
      [good(2, 'a@b.co', { a: 1 }), good(3, 'b@b.co', { a: 2 }), good(4, 'c@b.co', { a: 3 })],
    ],
    [
      'line breaks within quotes, which do not count as rows',
      'email,"the\nnote"\na@b.co,"x\r\ny"\nb@b.co,z',
      [good(2, 'a@b.co', { 'the\nnote': 'x\r\ny' }), good(3, 'b@b.co', { 'the\nnote': 'z' })],
    ],
    ['doubled quotes', 'email,a\na@b.co,"say ""hi"""', [good(2, 'a@b.co', { a: 'say "hi"' })]],
    [
      'quotes in the middle',
      'email,a\na@b.co,5" pipe\nb@b.co,2',
      [good(2, 'a@b.co', { a: '5" pipe' }), good(3, 'b@b.co', { a: 2 })],
    ],
    ['spaces around cells', 'email , a\n a@b.co , "x, y"\n', [good(2, 'a@b.co', { a: 'x, y' })]],
    [
      'blank rows, which count',
      '\n\nemail,a\n\na@b.co,1\n,\n  \nb@b.co,2\n\n',
      [good(3, 'a@b.co', { a: 1 }), good(6, 'b@b.co', { a: 2 })],
    ],
    [
      'rows that are short, long or end with a delimiter',
      'email,a,b\na@b.co\nb@b.co,1,2,3\nc@b.co,1,2,',
      [good(2, 'a@b.co', {}), good(3, 'b@b.co', { a: 1, b: 2 }), good(4, 'c@b.co', { a: 1, b: 2 })],
    ],
    ['columns without a name', ',email,,a,\n1,a@b.co,2,3,4', [good(2, 'a@b.co', { a: 3 })]],
    ['reserved names', 'id,email,unsubscribeUrl,__proto__,a\n1,a@b.co,2,3,4', [good(2, 'a@b.co', { a: 4 })]],
    ['an address column of another tool', 'E-Mail Address;a\na@b.co;1', [good(2, 'a@b.co', { a: 1 })]],
    [
      'email before what other tools call it',
      'E-Mail,EMAIL\nx,a@b.co',
      [good(2, 'a@b.co', { 'E-Mail': 'x' })],
    ],
    [
      'addresses of all kinds',
      'email\n Ada@Example.COM \nx@münchen.de\nAda <a@b.co>\n"a@b.co, b@b.co"\n',
      [
        good(2, 'ada@example.com', {}),
        good(3, 'x@xn--mnchen-3ya.de', {}),
        bad(4, 'Ada <a@b.co>', /not an email/),
        bad(5, 'a@b.co, b@b.co', /not an email/),
      ],
    ],
    ['a row without an address', 'email,a\n,1\n', [bad(2, '', /no email/)]],
    [
      'an address with an accent',
      'email\njosé@example.com\n',
      [bad(2, 'josé@example.com', /only ASCII letters/)],
    ],
    [
      'NUL characters',
      'email,a\na@b.co,x\0y\nb@b\0.co,1\nc@b.co,2',
      [bad(2, 'a@b.co', /NUL/), bad(3, 'b@b.co', /NUL/), good(4, 'c@b.co', { a: 2 })],
    ],
    [
      'a quote that is never closed',
      'email,a\na@b.co,1\nb@b.co,"oops\nc@b.co,2\n',
      [good(2, 'a@b.co', { a: 1 }), bad(3, '', /never closed/)],
    ],
    [
      'data beyond 64 KB',
      `email,a,b\na@b.co,${'x'.repeat(65_000)},1\nb@b.co,${'x'.repeat(65_000)},${'y'.repeat(600)}`,
      [good(2, 'a@b.co', { a: 'x'.repeat(65_000), b: 1 }), bad(3, 'b@b.co', /64 KB/)],
    ],
  ];

  it.each(cases)('is read: %s', async (_, file, expected) => {
    for (const pieceBytes of [1, 7, 100_000]) {
      if (pieceBytes === 1 && file.length > 1_000) continue;
      expect(await read(file, pieceBytes)).toEqual(expected);
    }
  });
});

describe('the column subscribed', () => {
  it.each([
    ['true', true],
    ['YES', true],
    [' 1 ', true],
    ['on', true],
    ['False', false],
    ['no', false],
    ['0', false],
    ['unsubscribed', false],
    ['Ja', true],
    ['nein', false],
    ['WAHR', true],
    ['FALSCH', false],
    ['VRAI', true],
    ['non', false],
    ['si\u0301', true],
    ['Não', false],
    ['tak', true],
    ['nee', false],
    ['', undefined],
  ])('reads %j as %j', async (cell, subscribed) => {
    expect(await read(`email,Subscribed\na@b.co,${cell}`)).toEqual([good(2, 'a@b.co', {}, subscribed)]);
  });

  it('refuses other words, and names them', async () => {
    expect(await read('email,subscribed\na@b.co,maybe')).toEqual([
      bad(2, 'a@b.co', /"maybe" must be true, false, yes, no/),
    ]);
  });
});

describe('a cell', () => {
  it.each([
    ['TRUE', true],
    ['false', false],
    ['0', 0],
    ['-12.50', -12.5],
    ['999999999999999', 999_999_999_999_999],
    ['0.1', 0.1],
    ['1234567890123456', '1234567890123456'],
    ['0.1234567890123456', 0.123_456_789_012_345_6],
    ['33.333333333333336', 33.333_333_333_333_336],
    ['33.3333333333333361', '33.3333333333333361'],
    ['1e-7', 1e-7],
    ['1e+21', 1e21],
    ['007', '007'],
    ['00', '00'],
    ['-0', '-0'],
    ['+49 30 1234', '+49 30 1234'],
    ['+1', '+1'],
    ['1e5', '1e5'],
    ['1,5', '1,5'],
    ['.5', '.5'],
    ['5.', '5.'],
    ['0x10', '0x10'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['null', 'null'],
    ['yes', 'yes'],
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['31.01.2026', '31.01.2026'],
    ['=1+1', '=1+1'],
    ['["a",1]', ['a', 1]],
    ['{"size":{"eu":42}}', { size: { eu: 42 } }],
    ['[]', []],
    ['[VIP]', '[VIP]'],
    ['{ first }', '{ first }'],
    ['{"value":1,"persistent":false}', '{"value":1,"persistent":false}'],
    ['[1e999]', '[1e999]'],
    ['['.repeat(40) + ']'.repeat(40), '['.repeat(40) + ']'.repeat(40)],
  ])('%j becomes %j', async (cell, value) => {
    expect(await read(`email;a\na@b.co;"${cell.replaceAll('"', '""')}"`)).toEqual([
      good(2, 'a@b.co', { a: value }),
    ]);
  });
});

describe('any table', () => {
  // Text that stays text: no white space at the ends, and a letter first, so that it is not a number.
  const text = fc
    .string({ unit: fc.constantFrom(...'abcXYZ019 ,;\t"\r\n\'=@äß€é漢🎉'), maxLength: 12 })
    .map((value) => `k${value}`.trim());
  const table = fc
    .uniqueArray(
      text.filter((name) => !/^k?(email|subscribed)$/i.test(name)),
      { minLength: 1, maxLength: 4 },
    )
    .chain((names) =>
      fc.record({
        names: fc.constant(names),
        rows: fc.array(
          fc.array(fc.option(text, { nil: '' }), { minLength: names.length, maxLength: names.length }),
          {
            maxLength: 8,
          },
        ),
      }),
    );
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    endsWithLine: fc.boolean(),
    quotesAll: fc.boolean(),
    encoding: fc.constantFrom('utf-8', 'utf-8 with mark', 'utf-16'),
    blankAfter: fc.nat(3),
    pieceBytes: fc.integer({ min: 1, max: 40 }),
  });

  it('is read back as it was written, in any dialect and in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(table, dialect, async ({ names, rows }, way) => {
        const cell = (value: string) =>
          way.quotesAll || /[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
        const line = (cells: string[]) => cells.map(cell).join(way.delimiter);
        const lines = [line(['email', ...names])];
        const expected: object[] = [];
        let row = 1;
        rows.forEach((cells, index) => {
          row += 1;
          lines.push(line([`reader-${index}@example.com`, ...cells]));
          const entries = names.map((name, column) => [name, cells[column] ?? ''] as const);
          const data = Object.fromEntries(entries.filter(([, value]) => value !== ''));
          expected.push(good(row, `reader-${index}@example.com`, data));
          if (index === way.blankAfter) {
            row += 1;
            lines.push('');
          }
        });
        const written = lines.join(way.lineEnd) + (way.endsWithLine ? way.lineEnd : '');
        const file =
          way.encoding === 'utf-16'
            ? Buffer.from(`\ufeff${written}`, 'utf16le')
            : Buffer.from(way.encoding === 'utf-8' ? written : `\ufeff${written}`);
        expect(await read(file, way.pieceBytes)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('of any bytes at all is read to its end, or refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, hasHeader) => {
        const file = hasHeader ? Buffer.concat([Buffer.from('email,a\n'), bytes]) : Buffer.from(bytes);
        const rows = await read(file, 5).catch((error: Error) => error.message);
        if (typeof rows === 'string') expect(rows).not.toBe('');
        else for (const row of rows) expect(row.row).toBeGreaterThan(1);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a file made to be slow', () => {
  it('does not cost an error for each row that is longer or shorter than the header', async () => {
    const captures = vi.spyOn(Error, 'captureStackTrace');
    expect(await read(`email,a,b\n${'a@b.co\n'.repeat(100)}${'a@b.co,1,2,3\n'.repeat(100)}`)).toHaveLength(
      200,
    );
    // Those of the 50 rows in which the header is looked for.
    expect(captures.mock.calls.length).toBeLessThan(50);
    captures.mockRestore();
  });

  it('looks only at the cells that a row has', () => {
    let looks = 0;
    const data = Array.from({ length: 999 }, (_, at) => ({
      key: `c${at}`,
      get index() {
        looks += 1;
        return at + 1;
      },
    }));
    const columns = { email: 0, subscribed: undefined, data, rejection: new Set<number>() };
    const row = readRow(['a@b.co', '1'], 2, columns, false);
    expect(row).toMatchObject(good(2, 'a@b.co', { c0: 1 }));
    expect(looks).toBe(2);
  });

  it('does not parse a list that no contact may store', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const lists = [`[${'0,'.repeat(40_000)}0]`, '[0]'];
    const rows = await read(`email,a\n${lists.map((list) => `a@b.co,"${list}"\n`).join('')}`, 16_384);
    expect(rows).toEqual([bad(2, 'a@b.co', /more than 64 KB/), good(3, 'a@b.co', { a: [0] })]);
    expect(parse.mock.calls.map(([text]) => text)).toEqual(['[0]']);
    parse.mockRestore();
  });

  it('is read in turns with other work', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await read(`email\n${'\n'.repeat(100_000)}`, 1_000);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(100);
  });

  it('is handed over one piece a turn, also to a reader that has waited', async () => {
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const line = 'a@b.co\n';
    async function* pieces() {
      yield Buffer.from('email\n');
      for (let n = 0; n < 100; n += 1) yield Buffer.from(line.repeat(10));
    }
    const format = { encoding: 'utf-8', damaged: false, delimiter: ',', bytes: 7_006, mapping: {} } as const;
    const rowsOfTurn = new Map<number, number>();
    for await (const rows of readRows(pieces(), format)) {
      rowsOfTurn.set(turn, (rowsOfTurn.get(turn) ?? 0) + rows.length);
      while (turn < 50) await yieldToLoop();
    }
    isOver = true;
    expect(rowsOfTurn.values().reduce((sum, rows) => sum + rows, 0)).toBe(1_000);
    // The parser looks ahead: a piece may end the last row of the one before.
    expect(Math.max(...rowsOfTurn.values())).toBeLessThanOrEqual(11);
  });
});
