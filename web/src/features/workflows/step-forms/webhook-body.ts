/** The body of a call as it is edited. */
export function bodyText(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/**
 * Objects and lists are sent as JSON, so that the output of Liquid in their texts is escaped. A text that nobody has
 * changed stays as it is stored: it may escape its Liquid itself, and JSON would round its long numbers.
 */
export function readBody(text: string, stored: unknown): unknown {
  if (text === bodyText(stored)) return stored;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
