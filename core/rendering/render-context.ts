import { Context, Drop, type Liquid, toValue } from 'liquidjs';
import type { RenderBudget } from './render-budget.ts';
import { isRecord } from './values.ts';

const loopProperties: ReadonlySet<unknown> = new Set(
  'col col0 col_first col_last first index index0 last length name rindex rindex0 row'.split(' '),
);

export interface Path {
  name: string;
  root: string;
  rest: string;
  properties: readonly string[];
}

export function parsePath(name: string): Path {
  const [root = '', ...properties] = name.split('.');
  return { name, root, rest: properties.join('.'), properties };
}

type Scope = Context['environments'];

export class RenderContext extends Context {
  readonly budget: RenderBudget;
  readonly now: Date;
  private hasOwnVariables = false;

  constructor(variables: Readonly<Record<string, unknown>>, engine: Liquid, budget: RenderBudget, now: Date) {
    const renderOptions = { sync: true, memoryLimit: budget.limits.workUnits };
    super(variables, engine.options, renderOptions, { liquid: engine });
    this.budget = budget;
    this.now = now;
  }

  /**
   * Looks up a variable with its properties. A field whose own name contains the dots (`plan.name`) takes
   * precedence over the path through nested data; loops and assignments over both.
   */
  lookup({ name, root, rest, properties }: Path): unknown {
    const scope = this.scopeOf(root);
    const value = scope === this.globals ? undefined : scope[root];
    if (properties.length === 0) return value;
    if (scope === this.environments || scope === this.globals) {
      const field = root === 'data' ? this.readProperty(value, rest) : this.scopeOf(name)[name];
      if (field !== undefined) return field;
    }
    return properties.reduce((parent, property) => this.readProperty(parent, property), value);
  }

  /** Own properties only, so that variables may have a prototype. */
  private scopeOf(name: string): Scope {
    // biome-ignore lint/complexity/useLiteralKeys: private in the types, and the only way to find an inner scope.
    const scopes = this['scopes'];
    for (let index = scopes.length - 1; index >= 0; index--) {
      const scope = scopes[index];
      if (scope !== undefined && Object.hasOwn(scope, name)) return scope;
    }
    return Object.hasOwn(this.environments, name) ? this.environments : this.globals;
  }

  /** Own properties only, and of loops only what Liquid documents; no JavaScript members. */
  override readProperty(object: unknown, key: unknown): unknown {
    const name = nameOf(key);
    if (name === undefined || (object instanceof Drop && !loopProperties.has(name))) return undefined;
    if (isRecord(object) && !Array.isArray(object) && Object.hasOwn(object, name)) return object[name];
    if (name === 'length' && (typeof object === 'string' || Array.isArray(object))) return undefined;
    // as: the declared type omits strings and lists, which it also reads.
    return super.readProperty(object as Scope, name);
  }

  copyVariables(): void {
    if (!this.hasOwnVariables) this.environments = Object.assign(Object.create(null), this.environments);
    this.hasOwnVariables = true;
  }
}

/** Lists and objects are not keys: converting one to text may take long. */
export function nameOf(key: unknown): string | number | undefined {
  const name: unknown = toValue(key);
  return typeof name === 'string' || typeof name === 'number' ? name : undefined;
}

export function renderContextOf(context: Context): RenderContext {
  if (!(context instanceof RenderContext)) throw new TypeError('not a rendering of this engine');
  return context;
}
