const mostLetters = 100;

/**
 * Name of a CSV file, for any file system: other characters than letters, digits, spaces, `-` and `_` become `-`.
 * @param record whose rows it has; of a long name only the beginning
 */
export const csvFileName = (record: string, rows: string): string =>
  `${record.slice(0, mostLetters).replace(/[^\p{L}\p{M}\p{N} _-]+/gu, '-')} ${rows}.csv`;
