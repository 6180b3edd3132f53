export type Settings = Readonly<Record<string, string | number>>;

function settingsClause(settings: Settings): string {
  const parts = Object.entries(settings).map(([name, value]) => {
    const literal = typeof value === 'number' ? value : `'${value.replace(/[\\']/g, '\\$&')}'`;
    return `${name} = ${literal}`;
  });
  return `SETTINGS ${parts.join(', ')}`;
}

/**
 * Appends settings to a SELECT. They go into the text, never into the client's `clickhouse_settings`: ClickHouse of
 * `npm start` refuses those, because its engine would keep them for every later statement of the connection.
 *
 * @param select without a SETTINGS or FORMAT clause
 */
export function withSettings(select: string, settings: Settings): string {
  return `${select.trimEnd()}\n${settingsClause(settings)}`;
}

export interface InsertTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** Default: that of the connection. */
  readonly timeoutMs?: number;
}

export function insertStatement(target: InsertTarget, settings: Settings): string {
  const columns = target.columns.join(', ');
  return `INSERT INTO ${target.table} (${columns}) ${settingsClause(settings)} FORMAT TabSeparated`;
}

const tsvEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export function tsvValue(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => tsvEscapes[character] ?? character);
}
