/** Keeps a value as a parameter. @returns its placeholder, such as `$3`; the SQL casts it. */
export type Bind = (value: unknown) => string;
