import { type JsonObject, jsonByteLength } from '../../../../core/json-value.ts';

const maxContextBytes = 256 * 1024;

export function contextFault(
  stepName: string,
  context: Record<string, unknown>,
  added: Record<string, unknown>,
): string | undefined {
  // as: both come from JSON.
  if (jsonByteLength({ ...context, ...added } as JsonObject) <= maxContextBytes) return undefined;
  return `${stepName}: the context has grown beyond ${maxContextBytes / 1024} KB`;
}
