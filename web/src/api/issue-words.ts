const limit: Readonly<Record<string, string>> = {
  '<=': 'at most',
  '>=': 'at least',
  '<': 'less than',
  '>': 'more than',
};

/** Words of the API's schema that mean something to programmers alone. */
const words: readonly [RegExp, (bound: string, amount: string) => string][] = [
  [
    /^Too \w+: expected string to have (<=|>=)(\d+) characters$/,
    (bound, amount) => `Use ${limit[bound]} ${amount} characters`,
  ],
  [
    /^Too \w+: expected \w+ to have (<=|>=)(\d+) items$/,
    (bound, amount) => `Choose ${limit[bound]} ${amount}`,
  ],
  [
    /^Too \w+: expected \w+ to be (<=|>=|<|>)(-?[\d.]+)$/,
    (bound, amount) => `Enter ${limit[bound]} ${amount}`,
  ],
];

/** What is wrong with a field, for the person who filled it in. */
export function issueForPeople(message: string): string {
  for (const [pattern, write] of words) {
    const [, bound, amount] = pattern.exec(message) ?? [];
    if (bound !== undefined && amount !== undefined) return write(bound, amount);
  }
  return message;
}
