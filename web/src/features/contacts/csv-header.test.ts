import { expect, it } from 'vitest';
import { csvHeader, decodeHeader } from './csv-header.ts';

it.each<[string, string[]]>([
  ['Mail,Name\nada@example.com,Ada', ['Mail', 'Name']],
  ['\uFEFFMail;First name\r\n', ['Mail', 'First name']],
  ['Mail\tPlan', ['Mail', 'Plan']],
  ['Mail|Plan', ['Mail', 'Plan']],
  ['"E-mail, work","A ""b"""\n', ['E-mail, work', 'A "b"']],
  ['Mail,,Plan', ['Mail', 'Plan']],
  ['', []],
])('reads the header of %j', (text, names) => {
  expect(csvHeader(text)).toEqual(names);
});

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string) => Uint8Array.from(text.split('').flatMap((char) => [char.charCodeAt(0), 0]));

it.each<[string, Uint8Array]>([
  ['UTF-8', utf8('Straße;Mail\nKöln')],
  ['UTF-8 with a damaged row', Uint8Array.of(...utf8('Straße;Mail\n'), ...latin1('Köln'))],
  ['Windows-1252', latin1('Straße;Mail\nKöln')],
  ['UTF-16', Uint8Array.of(0xff, 0xfe, ...utf16('Straße;Mail\nKöln'))],
])('reads the header of a file in %s', (_, bytes) => {
  expect(csvHeader(decodeHeader(bytes))).toEqual(['Straße', 'Mail']);
});
