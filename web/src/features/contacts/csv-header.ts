/**
 * Decodes the first line of a file as the server will: by the byte order mark, else as UTF-8, else as Windows-1252,
 * which spreadsheets on Windows write.
 */
export function decodeHeader(start: Uint8Array): string {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(start);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(start);
  const end = start.indexOf(0x0a);
  const line = end === -1 ? start : start.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    return new TextDecoder('windows-1252').decode(line);
  }
}

/** Column names of a CSV file in which the server could not find the address column. */
export function csvHeader(text: string): string[] {
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text.replace(/^\uFEFF/, ''))?.[0] ?? '';
  const bare = line.replace(/"(?:[^"]|"")*"/g, '');
  const separator = [',', ';', '\t', '|'].reduce((best, one) =>
    bare.split(one).length > bare.split(best).length ? one : best,
  );
  const names: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const char of line) {
    if (char === '"') isQuoted = !isQuoted;
    if (char === separator && !isQuoted) {
      names.push(cell);
      cell = '';
    } else cell += char;
  }
  return [...names, cell]
    .map((name) =>
      name
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
    )
    .filter(Boolean);
}
