/** Liquid outputs and tags, and HTML comments, which may contain instructions for Outlook. */
const code = /<!--[\s\S]*?-->|<[!?][^>]*>|\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
/** Built from private-use characters, which HTML parsers don't change and serializers don't escape. */
export const placeholder = /\uE000(\d+)\uE001/g;

export const isComment = (source: string): boolean => source.startsWith('<');

/**
 * Replaces Liquid and comments with numbered placeholders, so that HTML parsers and serializers leave them alone.
 *
 * @param sources receives the replaced text; a placeholder's number is its index
 */
export const holdCode = (text: string, sources: string[]): string =>
  text.replace(code, (source) => `\uE000${sources.push(source) - 1}\uE001`);

export const releaseCode = (text: string, sources: readonly string[]): string =>
  text.replace(placeholder, (_, index) => sources[Number(index)] ?? '');

const delimited = /^(\{\{-?|\{%-?)\s*([\s\S]*?)\s*(-?\}\}|-?%\})$/;

/** @returns the text between the delimiters */
export const expressionOf = (source: string): string => delimited.exec(source)?.[2] ?? source;

/** Replaces the expression of an output or tag; delimiters in the new expression are removed. */
export function withExpression(source: string, expression: string): string {
  const [, open = '{{', , close = '}}'] = delimited.exec(source) ?? [];
  return `${open} ${expression.replaceAll(/[{}]{2}|[{%]%|%\}/g, '').trim()} ${close}`;
}

const withFallback = /^([^|?"']+?)(?:\s*\?\?\s*"([^"]*)")?$/;

/** @returns the name and fallback of a plain output; undefined for any other Liquid */
export function readOutput(source: string): { name: string; fallback: string } | undefined {
  const [, name, fallback = ''] = source.startsWith('{{')
    ? (withFallback.exec(expressionOf(source)) ?? [])
    : [];
  return name === undefined ? undefined : { name, fallback };
}

export const writeOutput = (name: string, fallback: string): string =>
  withExpression('{{ }}', fallback === '' ? name : `${name} ?? "${fallback.replaceAll('"', "'")}"`);

/** @returns the label that the editor shows; '' for a comment */
export function labelOf(source: string): string {
  if (isComment(source)) return '';
  const output = readOutput(source);
  if (output === undefined) return expressionOf(source);
  return output.fallback === '' ? output.name : `${output.name} or “${output.fallback}”`;
}
