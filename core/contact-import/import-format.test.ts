import { describe, expect, it } from 'vitest';
import { readImportFormat } from './import-format.ts';
import { createEncodingDetector } from './text-encoding.ts';

function read(file: string | Uint8Array) {
  const bytes = Buffer.from(file);
  const detector = createEncodingDetector();
  detector.add(bytes);
  return readImportFormat(bytes, detector.detect(), bytes.length);
}

describe('a file that is not a CSV file of contacts', () => {
  const cases: [string, string | Uint8Array, RegExp][] = [
    ['empty', '', /empty/],
    ['blank', '\r\n \n', /empty/],
    ['blank rows of a spreadsheet', ',,,\r\n,,,\r\n', /empty/],
    ['no address', 'name,phone\nAda,1\n', /named "email".*"name", "phone"/],
    [
      'no header',
      'Ada,ada@example.com\nGrace,grace@example.com\n',
      /"ada@example.com".*must name.*Add a row above/,
    ],
    [
      'a web page',
      '\ufeff<!DOCTYPE html>\n<table><tr><td>email</td></tr></table>',
      /a web page.*Export it as CSV/,
    ],
    ['a spreadsheet as XML', '<?xml version="1.0"?><Workbook></Workbook>', /XML.*Export it as CSV/],
    [
      'a title above the table',
      'Customers;;\nExported;2026-01-31;\n;;\n"Region";"North\nEast";\nE-Mail;Name;Plan\na@b.co;Ada;pro\n',
      /^Row 5 seems to name the columns, but the first row must\. Delete the rows above it\.$/,
    ],
    ['a title of one cell', 'Customers\nemail;plan\n', /Row 2 seems to name/],
    ['two addresses', 'email,Email\na@example.com,b@example.com\n', /Two columns are named "email"/],
    ['two columns of one name', 'email;plan;plan\n', /Two columns are named "plan"/],
    [
      'one key by two names',
      'email,Data.email,data.Data.email\n',
      /"Data.email" and "data.Data.email" are the same field/,
    ],
    ['a long name', `email,${'x'.repeat(256)}\n`, /255 characters/],
    ['many columns', `email${',x'.repeat(1_000)}\n`, /1000 columns/],
    ['a spreadsheet', Buffer.from('PK\x03\x04\x14\0', 'latin1'), /Export it as CSV/],
    [
      'UTF-16 without a mark',
      Buffer.from('email,a\n', 'utf16le'),
      /UTF-16 without a byte order mark.*in UTF-8/,
    ],
    [
      'Shift_JIS',
      Buffer.concat([
        Buffer.from('email,name\nsato@example.jp,'),
        Buffer.of(0x8d, 0xb2, 0x93, 0xa1, 0x20, 0x89, 0xd4, 0x8e, 0x71),
      ]),
      /neither UTF-8.*in UTF-8 and upload that/,
    ],
    [
      'Shift_JIS, of bytes that Windows-1252 has too',
      Buffer.concat([
        Buffer.from('email,name\nsato@example.jp,'),
        Buffer.of(
          0x93,
          0xfa,
          0x96,
          0x7b,
          0x8c,
          0xea,
          0x83,
          0x65,
          0x83,
          0x58,
          0x83,
          0x67,
          0x95,
          0x5c,
          0x8e,
          0xa6,
        ),
      ]),
      /neither UTF-8.*in UTF-8 and upload that/,
    ],
    ['a quote that stays open', '"email,plan\nada@example.com,pro\n', /not closed/],
  ];

  it.each(cases)('is refused with what to do: %s', (_, file, message) => {
    expect(read(file)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});

describe('the format of a file', () => {
  it('is Windows-1252 despite a byte that it does not have', () => {
    const names = Array.from({ length: 20 }, (_, n) => `ada-${n}@example.com,Zo\u00eb\n`).join('');
    const file = Buffer.concat([
      Buffer.from(`email,name\n${names}eve@example.com,`, 'latin1'),
      Buffer.of(0x81),
    ]);
    expect(read(file)).toMatchObject({ ok: true, format: { encoding: 'windows-1252' } });
  });

  it.each([
    ['email', ','],
    ['email,a;b;c', ','],
    ['email;a,b', ';'],
    ['"email","a;b;c;d"', ','],
    ['a\temail', '\t'],
    ['email;a;b,c', ';'],
    ['email|first name|plan', '|'],
    ['email,a|b', ','],
  ])('has the delimiter by which a column is the address: %j', (header, delimiter) => {
    expect(read(`${header}\n`)).toMatchObject({ ok: true, format: { delimiter } });
  });

  it('detects the encoding, however the file is cut into pieces', () => {
    const cases: [Buffer, string, boolean][] = [
      [Buffer.from('email,zoë'), 'utf-8', false],
      [Buffer.from('email,zoe'), 'utf-8', false],
      [Buffer.from('email,zoë', 'latin1'), 'windows-1252', false],
      [Buffer.concat([Buffer.from('email,zoë,jürgen,'), Buffer.of(0xff)]), 'utf-8', true],
      // Cut within a character.
      [Buffer.from('email,zoë,ü').subarray(0, -1), 'utf-8', true],
      [Buffer.from('\ufeffemail', 'utf16le'), 'utf-16le', false],
      [Buffer.from('\ufeffemail', 'utf16le').swap16(), 'utf-16be', false],
    ];
    for (const [bytes, encoding, damaged] of cases) {
      for (const pieceBytes of [1, 2, 3, 4, 100]) {
        const detector = createEncodingDetector();
        for (let start = 0; start < bytes.length; start += pieceBytes) {
          detector.add(bytes.subarray(start, start + pieceBytes));
        }
        expect(detector.detect(), `${bytes}`).toEqual({ encoding, damaged });
      }
    }
  });
});
