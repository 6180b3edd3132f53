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
} from 'liquidjs';
import { escapeHtml } from '../html.ts';
import { boundedRender } from './bounded-render.ts';
import { DirectExpression } from './direct-expression.ts';
import { renderContextOf } from './render-context.ts';
import { toText } from './values.ts';

export type TemplateKind = 'html' | 'text';

function escapeTagOutput(this: { context: Context }, value: unknown): string {
  return escapeHtml(toText(value, renderContextOf(this.context).budget));
}

export class OutputTag extends Tag {
  private readonly expression: DirectExpression;
  private readonly escapes: boolean;

  constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
    super(token, remaining, engine);
    const { tokenizer } = token;
    this.expression = DirectExpression.of(tokenizer.readFilteredValue());
    tokenizer.assert(tokenizer.end(), () => `unexpected ${tokenizer.snapshot()}`);
    this.escapes = engine.options.outputEscape !== undefined && !this.expression.isRaw;
  }

  /** The variable that it shows, and whether it shows something else when that is missing. */
  get shown(): { path: readonly string[]; hasFallback: boolean } | undefined {
    const { variable: path, hasFallback } = this.expression;
    return path && { path, hasFallback };
  }

  override render(liquidContext: Context, emitter: Emitter): void {
    const context = renderContextOf(liquidContext);
    const { raw: readRaw, value } = this.expression;
    const raw: unknown = toValue(readRaw?.(context)) ?? undefined;
    const escapes = this.escapes && raw === undefined;
    const text = toText(raw ?? value(context), context.budget);
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
    timezoneOffset: 0,
    locale: 'en-US',
    ...(escapes ? { outputEscape: escapeTagOutput } : {}),
  });
  Object.assign(engine.renderer, boundedRender);
  // Ours are compiled (`direct-expression.ts`).
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
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
