/** The form in which texts are compared by a search: lower-case, an accented letter as one character. */
export const searchForm = (text: string): string => text.normalize('NFC').toLowerCase();

/** Fewer than three letters match too much, but a Chinese, Japanese or Korean word may be one. */
export const isSearchable = (text: string): boolean =>
  text.length >= 3 || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(text);
