/** An output or a tag of Liquid. */
const liquid = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
/** Private characters: no parser of HTML changes them, and no writer escapes them. */
const held = /\uE000(\d+)\uE001/g;

/**
 * Puts numbers in the place of Liquid, so that parsers and writers of HTML leave it as it is.
 *
 * @param sources gets what the numbers stand for
 */
export const holdLiquid = (text: string, sources: string[]): string =>
  text.replace(liquid, (source) => `\uE000${sources.push(source) - 1}\uE001`);

export const releaseLiquid = (text: string, sources: readonly string[]): string =>
  text.replace(held, (_, index) => sources[Number(index)] ?? '');

/** The parts of a text, in turn: plain text and the numbers of Liquid that is held. */
export function partsOf(text: string): (string | number)[] {
  return text
    .split(held)
    .map((part, index) => (index % 2 === 0 ? part : Number(part)))
    .filter((part) => part !== '');
}

const delimited = /^(\{\{-?|\{%-?)\s*([\s\S]*?)\s*(-?\}\}|-?%\})$/;

/** What stands between the delimiters. */
export const expressionOf = (source: string): string => delimited.exec(source)?.[2] ?? source;

/** The same output or tag with another expression, which can't end it early. */
export function withExpression(source: string, expression: string): string {
  const [, open = '{{', , close = '}}'] = delimited.exec(source) ?? [];
  return `${open} ${expression.replaceAll(/[{}]{2}|[{%]%|%\}/g, '').trim()} ${close}`;
}

const withFallback = /^([^|?"']+?)(?:\s*\?\?\s*"([^"]*)")?$/;

/** An output of a name with the text that replaces a missing value; undefined for what is more than that. */
export function readOutput(source: string): { name: string; fallback: string } | undefined {
  const [, name, fallback = ''] = source.startsWith('{{')
    ? (withFallback.exec(expressionOf(source)) ?? [])
    : [];
  return name === undefined ? undefined : { name, fallback };
}

export const writeOutput = (name: string, fallback: string): string =>
  withExpression('{{ }}', fallback === '' ? name : `${name} ?? "${fallback.replaceAll('"', "'")}"`);

/** For people. */
export function labelOf(source: string): string {
  const output = readOutput(source);
  if (output === undefined) return expressionOf(source);
  return output.fallback === '' ? output.name : `${output.name} or “${output.fallback}”`;
}
