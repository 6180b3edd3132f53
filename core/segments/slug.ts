const suffixLength = 8;
/** Normalization may turn one letter, such as ﷺ, into many; an event name has at most 255 characters. */
const maxLetters = 100;

/**
 * Slug of a segment in its event names, `segment.<slug>.entry`: letters, digits and hyphens, in lower case.
 * Removes accents from Latin letters, keeps other scripts.
 *
 * @returns `segment-` and the end of the id for a name without letters and digits
 */
export function segmentSlug(name: string, id: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  const plain = Array.from(letters).slice(0, maxLetters).join('').replace(/-+$/, '');
  return plain === '' ? withIdSuffix('segment', id) : plain;
}

export function withIdSuffix(slug: string, id: string): string {
  return `${slug}-${id.slice(-suffixLength)}`;
}
