interface Audience {
  segmentId: string | null;
  audienceCondition: unknown;
}

/** Whether an audience asks for the random group of a contact, itself or by the segments that it refers to. */
export function isRandomPart(
  { segmentId, audienceCondition }: Audience,
  segments: readonly { id: string; condition: unknown }[],
): boolean {
  // Grows while it is read; a set, so that each text is read once.
  const texts = new Set([JSON.stringify([`segment.${segmentId}`, audienceCondition])]);
  for (const text of texts) {
    if (text.includes('"field":"randomGroup"')) return true;
    for (const [, id] of text.matchAll(/"segment\.([\da-f-]{36})"/gi)) {
      const segment = segments.find((one) => one.id === id?.toLowerCase());
      texts.add(JSON.stringify(segment?.condition ?? null));
    }
  }
  return false;
}
