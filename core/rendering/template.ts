import { LiquidError, type Template as Node, TypeGuards } from 'liquidjs';
import { BoundedEmitter, literalRender, renderNodes } from './bounded-render.ts';
import { cutLiteral } from './cut-literal.ts';
import { engines, type TemplateKind } from './engine.ts';
import { noPieces, type PiecedText, wholeText, withoutHoles } from './pieced-text.ts';
import { RenderBudget, type RenderLimit, RenderLimitExceeded } from './render-budget.ts';
import { RenderContext } from './render-context.ts';
import { type ShownVariable, shownVariables } from './shown-variables.ts';
import { TemplateParser } from './template-parser.ts';

export const maxTemplateBytes = 512 * 1024;

const maxMessageLength = 200;
/** A bulk call names each piece. */
const mostPieces = 100;

export interface TemplateError {
  message: string;
  line: number;
  column: number;
}

export type CompileResult = { ok: true; template: Template } | { ok: false; error: TemplateError };
export type RenderResult<Output> = { ok: true; output: Output } | { ok: false; limit: RenderLimit };

export interface RenderOptions {
  now: Date;
  budget?: RenderBudget;
}

/**
 * Compiles a Liquid template. `html` escapes every output that does not end in `| raw`, and of `x | raw ?? y` only y;
 * `text` (subject, plain-text part, URLs) never escapes. Unknown filters and tags that read files are parse errors.
 */
export function compileTemplate(source: string, kind: TemplateKind): CompileResult {
  if (Buffer.byteLength(source) > maxTemplateBytes) {
    const message = `a template has at most ${maxTemplateBytes / 1024} KB`;
    return { ok: false, error: { message, line: 1, column: 1 } };
  }
  try {
    const parser = new TemplateParser(engines[kind]);
    const nodes = parser.parse(source);
    return { ok: true, template: new Template(nodes, kind, source.length + parser.bytes) };
  } catch (error) {
    return { ok: false, error: toTemplateError(error) };
  }
}

export class Template {
  private readonly nodes: readonly Node[];
  private readonly kind: TemplateKind;
  /** Memory that it takes, estimated. */
  readonly bytes: number;
  private readonly pieces: readonly string[];

  constructor(nodes: readonly Node[], kind: TemplateKind, bytes: number, pieces = noPieces) {
    this.nodes = nodes;
    this.kind = kind;
    this.bytes = bytes;
    this.pieces = pieces;
  }

  shownVariables(): ShownVariable[] {
    return shownVariables(this.nodes);
  }

  /** The same template for many renderings: its long literals outside of tags become pieces. */
  inPieces(): Template {
    const pieces: string[] = [];
    const nodes = this.nodes.map((node) => {
      if (!TypeGuards.isHTMLToken(node.token) || pieces.length >= mostPieces) return node;
      const literal = cutLiteral(withoutHoles(node.token.getContent()), this.kind);
      pieces.push(...literal.pieces);
      return literal.pieces.length === 0 ? node : { token: node.token, render: literalRender(literal) };
    });
    return pieces.length === 0 ? this : new Template(nodes, this.kind, this.bytes, pieces);
  }

  /**
   * Renders for one recipient. It never fails because of data: missing values are empty, and so are outputs
   * whose filter can't handle the value. Returns the limit that a template exceeds. No output contains NUL.
   *
   * @param variables plain data from `buildVariables`; only own properties are visible, nothing is modified
   */
  render(variables: Readonly<Record<string, unknown>>, options: RenderOptions): RenderResult<string> {
    const rendered = this.renderInPieces(variables, options);
    return rendered.ok ? { ok: true, output: wholeText(rendered.output) } : rendered;
  }

  renderInPieces(
    variables: Readonly<Record<string, unknown>>,
    options: RenderOptions,
  ): RenderResult<PiecedText> {
    const budget = options.budget ?? new RenderBudget();
    const context = new RenderContext(variables, engines[this.kind], budget, options.now);
    const emitter = new BoundedEmitter(context);
    try {
      renderNodes(this.nodes, context, emitter);
      const output = { outline: emitter.buffer, pieces: this.pieces };
      if (emitter.pieces === this.pieces.length) return { ok: true, output };
      // A `break` outside a loop ends the rendering early, so pieces may be missing.
      return { ok: true, output: { outline: wholeText(output), pieces: noPieces } };
    } catch (error) {
      if (error instanceof RenderLimitExceeded) return { ok: false, limit: error.limit };
      throw error;
    }
  }
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
