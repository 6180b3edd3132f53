import { beforeAll, beforeEach } from 'vitest';

/** Stands for a value that a hook makes: it can be handed on at once, and is read in hooks and tests. */
function standIn<Value extends object>(): { value: Value; become(made: Value): void } {
  let current: Value | undefined;
  const get = (_target: Value, key: string | symbol): unknown => {
    if (current === undefined) throw new Error(`${String(key)} is read before there is a fixture`);
    const found: unknown = Reflect.get(current, key);
    return typeof found === 'function' ? found.bind(current) : found;
  };
  return {
    value: new Proxy<Value>(Object.create(null), { get }),
    become: (made) => {
      current = made;
    },
  };
}

/** What the tests of a file, or of the `describe` around the call, share. @param end runs after their `afterAll` hooks */
export function fileFixture<Value extends object>(
  create: () => Value | Promise<Value>,
  end?: (made: Value) => unknown,
): Value {
  const { value, become } = standIn<Value>();
  beforeAll(async () => {
    const made = await create();
    become(made);
    return end && (() => end(made));
  });
  return value;
}

/** What each test has for itself. @param end runs after its `afterEach` hooks */
export function testFixture<Value extends object>(
  create: () => Value | Promise<Value>,
  end?: (made: Value) => unknown,
): Value {
  const { value, become } = standIn<Value>();
  beforeEach(async () => {
    const made = await create();
    become(made);
    return end && (() => end(made));
  });
  return value;
}
