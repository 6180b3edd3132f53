import { type Liquid, LiquidError, type Template as Node, TypeGuards } from 'liquidjs';
import { BoundedEmitter, renderNodes } from './bounded-render.ts';
import { engines, type TemplateKind } from './engine.ts';
import { RenderBudget, type RenderLimit, RenderLimitExceeded } from './render-budget.ts';
import { RenderContext } from './render-context.ts';
import { TemplateParser } from './template-parser.ts';

export const maxTemplateBytes = 512 * 1024;

const maxMessageLength = 200;

export interface TemplateError {
  message: string;
  line: number;
  column: number;
}

export type CompileResult = { ok: true; template: Template } | { ok: false; error: TemplateError };
export type RenderResult = { ok: true; output: string } | { ok: false; limit: RenderLimit };

export interface RenderOptions {
  now: Date;
  budget?: RenderBudget;
}

/**
 * Compiles a Liquid template. `html` escapes every output that does not end in `| raw`; `text` (subject,
 * plain-text part, URLs) never escapes. Unknown filters and tags that read files are parse errors.
 */
export function compileTemplate(source: string, options: { kind: TemplateKind }): CompileResult {
  if (Buffer.byteLength(source) > maxTemplateBytes) {
    const message = `a template has at most ${maxTemplateBytes / 1024} KB`;
    return { ok: false, error: { message, line: 1, column: 1 } };
  }
  const engine = engines[options.kind];
  try {
    const nodes = new TemplateParser(engine).parse(source);
    return { ok: true, template: new Template(nodes, engine) };
  } catch (error) {
    return { ok: false, error: toTemplateError(error) };
  }
}

export class Template {
  readonly literals: readonly string[];
  private readonly nodes: readonly Node[];
  private readonly engine: Liquid;

  constructor(nodes: readonly Node[], engine: Liquid) {
    this.literals = nodes.flatMap(({ token }) => (TypeGuards.isHTMLToken(token) ? token.getContent() : []));
    this.nodes = nodes;
    this.engine = engine;
  }

  /**
   * Renders for one recipient. It never fails because of data: missing values are empty, and so are outputs
   * whose filter can't handle the value. Returns the limit that a template exceeds.
   *
   * @param variables plain data from `buildVariables`; only own properties are visible, nothing is modified
   */
  render(variables: Readonly<Record<string, unknown>>, options: RenderOptions): RenderResult {
    const budget = options.budget ?? new RenderBudget();
    const context = new RenderContext(withoutPrototype(variables), this.engine, budget, options.now);
    const emitter = new BoundedEmitter(context);
    try {
      renderNodes(this.nodes, context, emitter);
      return { ok: true, output: emitter.buffer };
    } catch (error) {
      if (error instanceof RenderLimitExceeded) return { ok: false, limit: error.limit };
      throw error;
    }
  }
}

function withoutPrototype(variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (Object.getPrototypeOf(variables) === null) return variables;
  return Object.assign(Object.create(null), variables);
}

function toTemplateError(error: unknown): TemplateError {
  if (!LiquidError.is(error)) return { message: 'the template could not be read', line: 1, column: 1 };
  const [line = 1, column = 1] = error.token.getPosition();
  const message = error.message.replace(/, line:\d+, col:\d+$/, '');
  return { message: shorten(message), line, column };
}

/** Messages quote the source, which may be long. */
function shorten(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength - 1).toWellFormed()}…`;
}
