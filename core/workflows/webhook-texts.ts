/**
 * Per call, including URL and headers. Each is compiled for the call, so both their number and
 * their length matter.
 */
export const maxCallTemplates = 250;

export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

export function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key;
      yield* textsOf(item);
    }
  }
}

export function findTemplateCountFault(call: {
  url?: unknown;
  headers?: unknown;
  body?: unknown;
}): string | undefined {
  let count = 0;
  for (const text of textsOf([call.url, call.headers, call.body])) if (isTemplate(text)) count++;
  if (count <= maxCallTemplates) return undefined;
  return `At most ${maxCallTemplates} texts of a call may contain Liquid, and these are ${count}`;
}
