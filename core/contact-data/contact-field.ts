import { type Field, parseField } from '../conditions/parse-field.ts';
import type { FieldType } from './infer-field-type.ts';

/** The built-in fields that contacts are filtered by, in the order of listings. */
export const standardFields = {
  email: 'string',
  subscribed: 'boolean',
  createdAt: 'date',
  updatedAt: 'date',
  snoozedUntil: 'date',
} as const satisfies Record<string, FieldType>;

export type StandardField = keyof typeof standardFields;

/** A built-in field, or a key of `data`: looked for literally first, then as a `path` through objects. */
export type ContactFieldName =
  | { kind: 'standard'; name: StandardField }
  | { kind: 'custom'; key: string; path: string[] };

/**
 * What a caller means by a field. Names of built-in fields come first; `data.` in front of a key may be left out.
 * @returns undefined for a name that no field can have
 */
export function parseContactField(text: string): ContactFieldName | undefined {
  if (isStandardField(text)) return { kind: 'standard', name: text };
  const field: Field | undefined = parseField(text.startsWith('data.') ? text : `data.${text}`);
  return field?.subject === 'data' ? { kind: 'custom', key: field.key, path: field.path } : undefined;
}

function isStandardField(text: string): text is StandardField {
  return Object.hasOwn(standardFields, text);
}
