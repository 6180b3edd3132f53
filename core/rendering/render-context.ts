import { Context, type Liquid } from 'liquidjs';
import type { RenderBudget } from './render-budget.ts';
import { isRecord, readProperty } from './values.ts';

/** The state of one rendering: variables, scopes of loops and assignments, and what may still be used. */
export class RenderContext extends Context {
  readonly budget: RenderBudget;
  /** What `"now"` means to date filters. */
  readonly now: Date;
  private readonly innerScopes: object[];
  private hasOwnVariables = false;

  /** @param variables an object without a prototype; it is never written to */
  constructor(variables: Record<string, unknown>, engine: Liquid, budget: RenderBudget, now: Date) {
    const renderOptions = { sync: true, memoryLimit: budget.limits.workUnits };
    super(variables, engine.options, renderOptions, { liquid: engine });
    this.budget = budget;
    this.now = now;
    this.innerScopes = [this.bottom()];
  }

  override push(scope: object): number {
    this.innerScopes.push(scope);
    return super.push(scope);
  }

  override pop(): ReturnType<Context['pop']> {
    this.innerScopes.pop();
    return super.pop();
  }

  /** A variable by name: loops and assignments first, then what the caller gave. */
  lookup(name: string): unknown {
    for (let index = this.innerScopes.length - 1; index >= 0; index--) {
      const scope: unknown = this.innerScopes[index];
      if (isRecord(scope) && name in scope) return scope[name];
    }
    return this.environments[name];
  }

  /** Whether a loop or an assignment of the template itself has the name. */
  isAssigned(name: string): boolean {
    return this.innerScopes.some((scope) => name in scope);
  }

  /** The variables that `increment` and `decrement` may count in: a copy, made when first asked for. */
  ownVariables(): Record<string, unknown> {
    if (!this.hasOwnVariables) this.environments = Object.assign(Object.create(null), this.environments);
    this.hasOwnVariables = true;
    return this.environments;
  }

  override readProperty(value: unknown, key: unknown): unknown {
    return readProperty(value, key);
  }

  /** Filters such as `where` read the fields of an item in a context of its own. */
  override spawn(scope: object = {}): RenderContext {
    const variables = Object.assign(Object.create(null), isRecord(scope) ? scope : undefined);
    return new RenderContext(variables, this.liquid, this.budget, this.now);
  }
}
