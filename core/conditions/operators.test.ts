import { expect, it } from 'vitest';
import { operatorsOfKind } from '../../web/src/features/segments/condition-builder/operators.ts';
import { operatorTables } from './operators.ts';

/** Compared with the beginning of a day, so the dashboard, where people choose days, does not offer them for instants. */
const notOffered = ['greaterThan', 'lessThanOrEqual'];

it('has the operators that the dashboard offers, and no more', () => {
  const sorted = (kinds: Iterable<[string, Iterable<string>]>) =>
    Object.fromEntries([...kinds].map(([kind, operators]) => [kind, [...operators].sort()]));
  const own = Object.entries(operatorTables).map(([kind, table]): [string, Iterable<string>] => [
    kind,
    kind === 'instant' ? [...table.keys()].filter((name) => !notOffered.includes(name)) : table.keys(),
  ]);
  expect(sorted(Object.entries(operatorsOfKind))).toEqual(sorted(own));
});
