import {
  type Context,
  DecrementTag,
  type Emitter,
  IncrementTag,
  Liquid,
  Tag,
  type TagToken,
  type TopLevelToken,
  toValue,
  Value,
} from 'liquidjs';
import { escapeHtml } from '../html.ts';
import { boundedRender } from './bounded-render.ts';
import { DirectExpression, type Evaluate, evaluate } from './direct-expression.ts';
import { filters } from './filters.ts';
import { renderContextOf } from './render-context.ts';
import { toText } from './values.ts';

export type TemplateKind = 'html' | 'text';

function escapeTagOutput(this: { context: Context }, value: unknown): string {
  return escapeHtml(toText(value, renderContextOf(this.context).budget));
}

export class OutputTag extends Tag {
  private readonly value: Value;
  private readonly escapes: boolean;
  /** Before a `??`: not escaped, but its fallback is. */
  private readonly raw: Evaluate | undefined;

  constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
    super(token, remaining, engine);
    const { tokenizer } = token;
    this.value = new Value(tokenizer.readFilteredValue(), engine);
    tokenizer.assert(tokenizer.end(), () => `unexpected ${tokenizer.snapshot()}`);
    const { initial, filters } = this.value;
    this.escapes = engine.options.outputEscape !== undefined && !filters.at(-1)?.raw;
    this.raw = filters.length === 0 && initial instanceof DirectExpression ? initial.raw : undefined;
  }

  /** The variable that it shows, and whether it shows something else when that is missing. */
  get shown(): { path: readonly string[]; hasFallback: boolean } | undefined {
    const { initial, filters } = this.value;
    if (!(initial instanceof DirectExpression) || initial.variable === undefined) return undefined;
    const hasFallback = initial.hasFallback || filters.some(({ name }) => name === 'default');
    return { path: initial.variable, hasFallback };
  }

  override render(liquidContext: Context, emitter: Emitter): void {
    const context = renderContextOf(liquidContext);
    const raw: unknown = toValue(this.raw?.(context)) ?? undefined;
    const escapes = this.escapes && raw === undefined;
    const text = toText(raw ?? evaluate(this.value, context), context.budget);
    if (escapes) context.budget.spend(text.length);
    emitter.write(escapes ? escapeHtml(text) : text);
  }
}

class OwnIncrementTag extends IncrementTag {
  override render(context: Context, emitter: Emitter): void {
    renderContextOf(context).copyVariables();
    super.render(context, emitter);
  }
}

class OwnDecrementTag extends DecrementTag {
  override render(context: Context, emitter: Emitter): void {
    renderContextOf(context).copyVariables();
    super.render(context, emitter);
  }
}

function createEngine(escapes: boolean): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    timezoneOffset: 0,
    locale: 'en-US',
    ...(escapes ? { outputEscape: escapeTagOutput } : {}),
  });
  Object.assign(engine.renderer, boundedRender);
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
  for (const [name, filter] of filters) engine.registerFilter(name, filter);
  for (const name of ['include', 'render', 'layout', 'block']) {
    engine.registerTag(name, {
      parse() {
        throw new Error(`the tag "${name}" is not available: templates can't read other templates`);
      },
      render() {},
    });
  }
  engine.registerTag('echo', OutputTag);
  engine.registerTag('increment', OwnIncrementTag);
  engine.registerTag('decrement', OwnDecrementTag);
  return engine;
}

/** Liquid configured for untrusted templates: no files, no inherited properties, UTC, bounded rendering. */
export const engines: Readonly<Record<TemplateKind, Liquid>> = {
  html: createEngine(true),
  text: createEngine(false),
};
