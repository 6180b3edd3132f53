// Browsers also name the ones they descend from, so the first match counts.
const browsers: readonly [sign: string, name: string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
];
const systems: readonly [sign: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];

/** Browser and system in words, from a fixed list: the header itself can hold anything. */
export function readUserAgent(header: string | undefined) {
  const nameIn = (list: readonly [string, string][]) =>
    list.find(([sign]) => header?.includes(sign))?.[1] ?? null;
  return { browser: nameIn(browsers), system: nameIn(systems) };
}
