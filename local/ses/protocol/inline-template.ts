import { z } from 'zod';
import { tryParseJson } from '../../../core/json-value.ts';
import { badRequest } from './ses-error.ts';

const dataSchema = z.record(z.string(), z.unknown());

export type TemplateData = z.output<typeof dataSchema>;

export class MissingAttribute extends Error {
  override readonly name = 'MissingAttribute';
}

/**
 * Compiles `{{name}}` and `{{{name}}}`; values are inserted unescaped and never expanded again. The rest of the SES
 * template language (conditions, loops, partials) is rejected.
 * @returns a function that throws {@link MissingAttribute} when the data lacks a value
 * @throws SesError BadRequestException for anything between braces that is not a bare name
 */
export function compileTemplate(source: string): (data: TemplateData) => string {
  const parts = source.split(/(\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\})/);
  const names = parts.map((part, index) => (index % 2 === 1 ? placeholderName(part) : null));
  return (data) => {
    let rendered = '';
    for (const [index, part] of parts.entries()) {
      const name = names[index];
      rendered += name === null || name === undefined ? part : attributeOf(data, name);
    }
    return rendered;
  };
}

/** @throws SesError BadRequestException when `json` is not a JSON object */
export function parseTemplateData(json: string | undefined): TemplateData {
  if (json === undefined || json === '') return {};
  const { data } = dataSchema.safeParse(tryParseJson(json));
  if (data !== undefined) return data;
  throw badRequest('Template data has to be a JSON object.');
}

function placeholderName(placeholder: string): string {
  const name = placeholder.replace(/^\{+\s*|\s*\}+$/g, '');
  if (/^[\w$-]+$/.test(name)) return name;
  throw badRequest(`The local SES takes bare placeholders only, not ${JSON.stringify(placeholder)}.`);
}

function attributeOf(data: TemplateData, name: string): string {
  const value = Object.hasOwn(data, name) ? data[name] : undefined;
  if (value === undefined || value === null) {
    throw new MissingAttribute(`Attribute '${name}' is not present in the rendering data.`);
  }
  return typeof value === 'string' ? value : String(value);
}
