import { type Emitter, Liquid, Tag, type TagToken, type TopLevelToken } from 'liquidjs';
import { boundedRender } from './bounded-render.ts';
import { RenderContext } from './render-context.ts';
import { escapeHtml, isRecord, toText } from './values.ts';

/** `html` escapes outputs, `text` does not. */
export type TemplateKind = 'html' | 'text';

/** What `echo` and `cycle` escape with; outputs do it by themselves. */
function escapeTagOutput(this: unknown, value: unknown): string {
  const context = isRecord(this) ? this.context : undefined;
  return context instanceof RenderContext ? escapeHtml(toText(value, context.budget)) : '';
}

class RefusedTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
    super(token, remaining, engine);
    throw new Error(`the tag "${token.name}" is not available: templates can't read other templates`);
  }

  override render(): void {}
}

/** `increment` and `decrement`, counting in the rendering and not in the caller's variables. */
function countingTag(step: 1 | -1) {
  return class extends Tag {
    private readonly variable: string;

    constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
      super(token, remaining, engine);
      this.variable = this.tokenizer.readIdentifier().content;
    }

    override render(context: unknown, emitter: Emitter): void {
      if (!(context instanceof RenderContext)) return;
      const variables = context.ownVariables();
      const current = variables[this.variable];
      const before = typeof current === 'number' ? current : 0;
      variables[this.variable] = before + step;
      emitter.write(step === 1 ? before : before + step);
    }
  };
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
  for (const name of ['include', 'render', 'layout', 'block']) engine.registerTag(name, RefusedTag);
  engine.registerTag('increment', countingTag(1));
  engine.registerTag('decrement', countingTag(-1));
  return engine;
}

/** Liquid, set up for templates of strangers: no files, no inherited properties, UTC, bounded rendering. */
export const engines: Readonly<Record<TemplateKind, Liquid>> = {
  html: createEngine(true),
  text: createEngine(false),
};
