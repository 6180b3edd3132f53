import { StatementError } from './statement-error.ts';

/** Literals, names and comments (whose braces are not parameters), or a parameter. */
const pieces =
  /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|`[^`\\]*(?:\\.[^`\\]*)*`|--[^\n]*|\/\*.*?\*\/|\{([A-Za-z_]\w*)\s*:\s*([^{}]+)\}/gs;

/**
 * Puts the values of `{name:Type}` into a statement, each as a cast of a quoted text, as a ClickHouse server does. The
 * engine's own binding can't be used: it allows only one statement with parameters at a time per process.
 *
 * @param values as in the HTTP interface: escaped as in a tab-separated line, nested ones in ClickHouse's notation
 */
export function bindParameters(statement: string, values: ReadonlyMap<string, string>): string {
  return statement.replace(pieces, (piece, name: string | undefined, type = '') => {
    if (name === undefined) return piece;
    const value = values.get(name);
    if (value === undefined) {
      throw new StatementError(456, 'UNKNOWN_QUERY_PARAMETER', `Substitution ${name} is not set`);
    }
    const text = /^(Array|Tuple|Map)\(/.test(type) ? value : unescaped(value);
    return type.trim() === 'Identifier'
      ? quoted(text, '`')
      : `_CAST(${quoted(text)}, ${quoted(type.trim())})`;
  });
}

const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' };

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, (_, character: string) => controls[character] ?? character);
}

function quoted(text: string, quote = "'"): string {
  return `${quote}${text.replace(/[\\'`]/g, '\\$&').replaceAll('\0', '\\0')}${quote}`;
}
