const mostLetters = 100;

/** Name of a CSV file, for any file system: other characters than letters, digits, spaces, `-` and `_` become `-`. */
export const csvFileName = (name: string): string =>
  `${name.slice(0, mostLetters).replace(/[^\p{L}\p{M}\p{N} _-]+/gu, '-')}.csv`;
