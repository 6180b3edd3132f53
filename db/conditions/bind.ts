/** Adds a parameter. @returns its placeholder, such as `$3`, without a cast */
export type Bind = (value: unknown) => string;

export function bindInto(parameters: unknown[]): Bind {
  return (value) => `$${parameters.push(value)}`;
}
