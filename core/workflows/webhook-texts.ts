/**
 * Texts with Liquid that one call renders, those of its URL and headers included: each is compiled for the call, so
 * that their number counts as much as their length.
 */
export const maxCallTemplates = 250;

/** Whether a text has to be rendered; any other is what it renders to. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** Every text of a JSON value, keys included. */
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

/** What is wrong with the config of a WEBHOOK step that has too many templates. */
export function findTemplateCountFault(call: {
  url?: unknown;
  headers?: unknown;
  body?: unknown;
}): string | undefined {
  let count = 0;
  for (const text of textsOf([call.url, call.headers, call.body])) if (isTemplate(text)) count++;
  if (count <= maxCallTemplates) return undefined;
  return `At most ${maxCallTemplates} texts of a call may hold Liquid, and these are ${count}`;
}
