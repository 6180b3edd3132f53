/** Column names of a CSV file, for files in which the server could not find the address column. */
export function csvHeader(text: string): string[] {
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text.replace(/^\uFEFF/, ''))?.[0] ?? '';
  const bare = line.replace(/"(?:[^"]|"")*"/g, '');
  const separator = [',', ';', '\t'].reduce((best, one) =>
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
