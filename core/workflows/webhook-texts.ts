import { jsonByteLength } from '../json-value.ts';

/**
 * Limits per call, including URL and headers. Each template is compiled for the call, so both their number and their
 * length matter.
 */
export const maxCallTemplates = 250;
const maxCallTemplateKb = 64;

export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** All strings of a JSON value, keys included, in its order. */
export function textsOf(root: unknown): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        texts.push(key);
        collect(Reflect.get(value, key));
      }
    }
  };
  collect(root);
  return texts;
}

interface CallTexts {
  url?: unknown;
  headers?: unknown;
  body?: unknown;
}

const templatesOf = ({ url, headers, body }: CallTexts) => textsOf([url, headers, body]).filter(isTemplate);

export const hasTemplate = (call: CallTexts): boolean => templatesOf(call).length > 0;

export function findTemplateLimitFault(call: CallTexts): string | undefined {
  const templates = templatesOf(call);
  if (templates.length > maxCallTemplates) {
    return `At most ${maxCallTemplates} texts of a call may contain Liquid, and these are ${templates.length}`;
  }
  const kb = Math.ceil(jsonByteLength(templates) / 1024);
  if (kb <= maxCallTemplateKb) return undefined;
  return `The texts of a call that contain Liquid may have ${maxCallTemplateKb} KB together, and these have ${kb}`;
}
