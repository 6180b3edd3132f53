import { beforeAll, beforeEach } from 'vitest';

type Fixture<Value> = [create: () => Value | Promise<Value>, end?: (made: Value) => unknown];

/**
 * A fixture that the tests of a file, or of the `describe` around the call, share. `end` runs after their `afterAll`
 * hooks.
 */
export const fileFixture = <Value extends object>(...of: Fixture<Value>): Value => fixture(beforeAll, ...of);

/** A fixture that each test creates for itself. `end` runs after the test's `afterEach` hooks. */
export const testFixture = <Value extends object>(...of: Fixture<Value>): Value => fixture(beforeEach, ...of);

/** @returns a proxy for the value that the hook creates: it can be passed on at once, and read in hooks and tests */
function fixture<Value extends object>(
  hook: (run: () => Promise<() => unknown>) => void,
  ...[create, end]: Fixture<Value>
): Value {
  let current: Value | undefined;
  hook(async () => {
    const value = await create();
    current = value;
    return () => end?.(value);
  });
  const made = (key: string | symbol): Value => {
    if (current === undefined) throw new Error(`${String(key)} is read before the fixture exists`);
    return current;
  };
  return new Proxy<Value>(Object.create(null), {
    get(_target, key) {
      const found: unknown = Reflect.get(made(key), key);
      return typeof found === 'function' ? found.bind(current) : found;
    },
    set: (_target, key, value) => Reflect.set(made(key), key, value),
  });
}
