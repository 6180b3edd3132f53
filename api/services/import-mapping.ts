import { z } from 'zod';
import type { ColumnMapping } from '../../core/contact-import/columns.ts';
import { validationFailed } from '../../core/errors.ts';
import { isStorableText, tryParseJson } from '../../core/json-value.ts';

const text = z.string().refine(isStorableText);
const mappingSchema = z.record(text, text.nullable());

/**
 * @param sent JSON of the form field `mapping`
 * @throws DomainError `VALIDATION_ERROR`
 */
export function readMapping(sent: string | undefined): ColumnMapping {
  if (sent === undefined || sent === '') return {};
  const mapping = mappingSchema.safeParse(tryParseJson(sent));
  if (mapping.success) return mapping.data;
  const message = 'Expected a JSON object from names of columns to names of fields, or null to leave one out';
  throw validationFailed([{ field: 'mapping', message, code: 'custom' }]);
}
