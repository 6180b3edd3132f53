import { storableText } from '../../core/inbound/storable-text.ts';

export function failureText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return storableText(text.replace(/\s*\n.*/s, ''), 500);
}
