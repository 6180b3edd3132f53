/** Characters of an id's end that make a slug unique. */
const suffixLength = 8;

/**
 * What a segment is called in the names of its events, `segment.<slug>.entry`: letters, digits and hyphens, in lower
 * case. Accents on Latin letters go, other scripts stay.
 *
 * @returns `segment-` and the end of the id for a name without letters and digits
 */
export function segmentSlug(name: string, id: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  return plain === '' ? withIdSuffix('segment', id) : plain;
}

/** The slug of a segment whose plain slug is taken. */
export function withIdSuffix(slug: string, id: string): string {
  return `${slug}-${id.slice(-suffixLength)}`;
}
