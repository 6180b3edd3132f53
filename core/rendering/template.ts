import { type Liquid, LiquidError, type Template as Node } from 'liquidjs';
import { BoundedEmitter, renderNodes } from './bounded-render.ts';
import { DirectNode } from './direct-node.ts';
import { engines, type TemplateKind } from './engine.ts';
import { RenderBudget, type RenderLimit, RenderLimitExceeded } from './render-budget.ts';
import { RenderContext } from './render-context.ts';
import { TemplateParser } from './template-parser.ts';

/** Bytes of a template's source in UTF-8. */
export const maxTemplateBytes = 512 * 1024;

const maxMessageLength = 200;

/** Where and why a template does not parse; line and column count from 1. */
export interface TemplateError {
  message: string;
  line: number;
  column: number;
}

export type CompileResult = { ok: true; template: Template } | { ok: false; error: TemplateError };
export type RenderResult = { ok: true; output: string } | { ok: false; limit: RenderLimit };

export interface RenderOptions {
  /** What `"now"` means to the date filters. */
  now: Date;
  /** Shared by all parts of one email; by default a budget of its own. */
  budget?: RenderBudget;
}

/**
 * Compiles a Liquid template. `html` escapes every output but those that end in `| raw`; `text` (subject,
 * plain-text part, URLs) never escapes. Tags that read files are refused, like everything else that does not
 * parse, an unknown filter included.
 */
export function compileTemplate(source: string, options: { kind: TemplateKind }): CompileResult {
  if (Buffer.byteLength(source) > maxTemplateBytes) {
    const message = `a template has at most ${maxTemplateBytes / 1024} KB`;
    return { ok: false, error: { message, line: 1, column: 1 } };
  }
  const engine = engines[options.kind];
  try {
    const nodes = new TemplateParser(engine, options.kind === 'html').parse(source);
    return { ok: true, template: new Template(nodes, engine) };
  } catch (error) {
    return { ok: false, error: toTemplateError(error) };
  }
}

/** A compiled template: immutable, for any number of renderings. */
export class Template {
  /** The text outside of all tags and outputs, in its order. */
  readonly literals: readonly string[];
  private readonly nodes: readonly Node[];
  private readonly engine: Liquid;

  constructor(nodes: readonly Node[], engine: Liquid) {
    this.literals = nodes.flatMap((node) => (node instanceof DirectNode ? (node.literal ?? []) : []));
    this.nodes = nodes;
    this.engine = engine;
  }

  /**
   * Renders for one recipient. Data never makes it fail: what is missing is empty, and so is an output whose
   * filter can't handle its value. Only a template that goes on for too long ends with the limit it exceeded.
   *
   * @param variables plain data, as `buildVariables` gives it; only own properties are seen, nothing is changed
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

/** Messages repeat parts of the source, which may be long. */
function shorten(message: string): string {
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength - 1).toWellFormed()}…`;
}
