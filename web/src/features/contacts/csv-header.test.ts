import { expect, it } from 'vitest';
import { csvHeader } from './csv-header.ts';

it.each<[string, string[]]>([
  ['Mail,Name\nada@example.com,Ada', ['Mail', 'Name']],
  ['\uFEFFMail;First name\r\n', ['Mail', 'First name']],
  ['Mail\tPlan', ['Mail', 'Plan']],
  ['"E-mail, work","A ""b"""\n', ['E-mail, work', 'A "b"']],
  ['Mail,,Plan', ['Mail', 'Plan']],
  ['', []],
])('the header of %j', (text, names) => {
  expect(csvHeader(text)).toEqual(names);
});
