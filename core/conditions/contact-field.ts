import type { FieldType } from '../contact-data/infer-field-type.ts';
import { type Field, parseField } from './parse-field.ts';

export const standardFields = {
  email: 'string',
  subscribed: 'boolean',
  createdAt: 'date',
  updatedAt: 'date',
  snoozedUntil: 'date',
} as const satisfies Record<string, FieldType>;

export type StandardField = keyof typeof standardFields;

export type ContactFieldName =
  | { kind: 'standard'; name: StandardField }
  | { kind: 'custom'; key: string; path: string[] };

/**
 * Resolves a field name: built-in names take precedence; the prefix `data.` is optional. A key of `data` is
 * looked up literally first, then as a `path` through objects.
 *
 * @returns undefined for a name that no field can have
 */
export function parseContactField(text: string): ContactFieldName | undefined {
  if (isStandardField(text)) return { kind: 'standard', name: text };
  // Conditions have no field for the empty key, but `data` may have it.
  if (text === 'data.') return { kind: 'custom', key: '', path: [''] };
  const field: Field | undefined = parseField(text.startsWith('data.') ? text : `data.${text}`);
  return field?.subject === 'data' ? { kind: 'custom', key: field.key, path: field.path } : undefined;
}

function isStandardField(text: string): text is StandardField {
  return Object.hasOwn(standardFields, text);
}
