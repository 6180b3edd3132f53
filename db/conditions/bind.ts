/** Keeps a value as a parameter. @returns its placeholder, such as `$3`; the SQL casts it. */
export type Bind = (value: unknown) => string;

/** Keeps values behind the parameters that a statement has so far, `$1` being the first of them. */
export function bindInto(parameters: unknown[]): Bind {
  return (value) => `$${parameters.push(value)}`;
}
