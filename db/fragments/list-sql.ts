/** `('a', 'b')`, from constants. */
export const listSql = (values: readonly string[]) => `(${values.map((value) => `'${value}'`).join(', ')})`;
