const maxContextBytes = 256 * 1024;

export function contextFault(
  stepName: string,
  context: Record<string, unknown>,
  added: Record<string, unknown>,
): string | undefined {
  if (Buffer.byteLength(JSON.stringify({ ...context, ...added })) <= maxContextBytes) return undefined;
  return `${stepName}: the context has grown beyond ${maxContextBytes / 1024} KB`;
}
