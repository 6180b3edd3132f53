/**
 * The emails of a campaign share most of their text. What they share is cut out when the template is compiled for many
 * recipients (`cutLiteral`), so that an email is no more than its outline: the text between the pieces, with a hole for
 * each piece.
 *
 *     template  <p>Hi {{ name }},</p><p>Our shop in Bremen is open again, every day from nine.</p><p>See you, {{ name }}!</p>
 *     pieces    ["</p><p>Our shop in Bremen is open again, every day from nine.</p><p>See you,"]
 *     outline   <p>Hi Ada,␀ Ada!</p>
 *
 * One bulk call to the provider (`providers/email/bulk-layout.ts`) names the pieces once, and for each email the gaps:
 *
 *     template  {{h0}}</p><p>Our shop in Bremen is open again, every day from nine.</p><p>See you,{{h1}}
 *     Ada       { "h0": "<p>Hi Ada,", "h1": " Ada!</p>" }
 *
 * It knows the emails that fit into one call by their list of pieces: the same array, not an equal one. So code that adds
 * to the pieces, as for a footer, must give emails with the same additions the same list (`insertPieces`).
 */

/** Marks a piece in an outline. No other rendered text contains it. */
export const hole = '\0';

/** A text whose long literals are kept apart, so that no email copies, scans or sends them again. */
export interface PiecedText {
  /** The text with a NUL for each piece. */
  outline: string;
  /** In order. Emails of one template with the same pieces share the list. */
  pieces: readonly string[];
}

export const noPieces: readonly string[] = [];

const shortestPiece = 50;

export const isPiece = (text: string) => text.length >= shortestPiece && text.isWellFormed();

export const withoutHoles = (text: string): string =>
  text.includes(hole) ? text.replaceAll(hole, '') : text;

/** The texts around the pieces: one more than pieces. */
export const gapsOf = ({ outline, pieces }: PiecedText): string[] =>
  pieces.length === 0 ? [outline] : outline.split(hole);

export function wholeText(text: PiecedText | string): string {
  if (typeof text === 'string') return text;
  if (text.pieces.length === 0) return text.outline;
  return gapsOf(text).reduce((whole, gap, index) => whole + (text.pieces[index - 1] ?? '') + gap);
}

/** Inserts a text into another one at a position of its outline. */
export function insertText(into: PiecedText, at: number, text: PiecedText): PiecedText {
  const before = into.outline.slice(0, at);
  return {
    outline: before + text.outline + into.outline.slice(at),
    pieces: insertPieces(into.pieces, before.split(hole).length - 1, text.pieces),
  };
}

const insertions = new WeakMap<readonly string[], WeakMap<readonly string[], Map<number, string[]>>>();

function insertPieces(into: readonly string[], at: number, pieces: readonly string[]): readonly string[] {
  if (pieces.length === 0) return into;
  const ofText = insertions.get(into) ?? new WeakMap<readonly string[], Map<number, string[]>>();
  insertions.set(into, ofText);
  const byPosition = ofText.get(pieces) ?? new Map<number, string[]>();
  ofText.set(pieces, byPosition);
  const all = byPosition.get(at) ?? into.toSpliced(at, 0, ...pieces);
  byPosition.set(at, all);
  return all;
}

/** Outlines of the texts of one email, and their pieces. */
export function toOutlines(texts: readonly string[]): { outlines: string[]; pieces: readonly string[] } {
  return { outlines: texts.map((text) => (isPiece(text) ? hole : text)), pieces: texts.filter(isPiece) };
}
