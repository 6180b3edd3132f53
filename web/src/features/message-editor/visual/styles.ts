import type { KeptAttributes } from './kept-attributes.ts';

const declarationsOf = (kept: KeptAttributes): string[] =>
  (kept?.style ?? '').split(';').filter((declaration) => declaration.trim() !== '');

const sets = (declaration: string, property: string): boolean =>
  declaration.split(':', 1)[0]?.trim().toLowerCase() === property;

/** Whether the only attribute is a style that sets nothing but this property. */
export const setsOnly = (kept: KeptAttributes, property: string): boolean =>
  Object.keys(kept ?? {}).join() === 'style' &&
  declarationsOf(kept).length === 1 &&
  styleOf(kept, property) !== '';

/** @returns '' for a property that the style does not set */
export function styleOf(kept: KeptAttributes, property: string): string {
  const declaration = declarationsOf(kept).findLast((each) => sets(each, property)) ?? '';
  return declaration.slice(declaration.indexOf(':') + 1).trim();
}

/** Sets properties of the style, or removes those set to ''. All others keep their exact text. */
export function withStyle(kept: KeptAttributes, changes: Record<string, string>): KeptAttributes {
  const { style: _, ...others } = kept ?? {};
  const declarations = [
    ...declarationsOf(kept).filter((each) => !Object.keys(changes).some((property) => sets(each, property))),
    ...Object.entries(changes).flatMap(([property, value]) =>
      value === '' ? [] : [` ${property}: ${value}`],
    ),
  ];
  return declarations.length === 0 ? others : { ...others, style: `${declarations.join(';').trim()};` };
}
