/** An object with `members` members that throws when one of them is read. */
export function unreadable(members: number): object {
  const keys = Object.fromEntries(Array.from({ length: members }, (_, n) => [`key${n}`, n]));
  return new Proxy(keys, {
    get(_, key) {
      throw new Error(`${String(key)} was read`);
    },
  });
}
