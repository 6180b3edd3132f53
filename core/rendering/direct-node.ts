import { type Context, type Emitter, Output, Tokenizer } from 'liquidjs';
import { RenderContext } from './render-context.ts';

type Engine = ConstructorParameters<typeof Output>[1];

/** A node that gives its text straight away: an output or plain text. Liquid's own nodes are generators. */
export class DirectNode extends Output {
  /** What it gives whatever the variables are; undefined of an output. */
  readonly literal: string | undefined;
  private readonly produce: (context: RenderContext) => string;

  /**
   * @param span what it was read from, for error positions
   * @param produce the text, or what makes it
   */
  constructor(
    span: { input: string; begin: number; end: number },
    produce: string | ((context: RenderContext) => string),
    engine: Engine,
  ) {
    // The base class parses its token by the stock grammar, so it gets one that means nothing.
    super(new Tokenizer('{{x}}').readOutputToken(), engine);
    this.token.input = span.input;
    this.token.begin = span.begin;
    this.token.end = span.end;
    this.literal = typeof produce === 'string' ? produce : undefined;
    this.produce = typeof produce === 'string' ? () => produce : produce;
  }

  write(context: RenderContext, emitter: Emitter): void {
    emitter.write(this.produce(context));
  }

  // biome-ignore lint/correctness/useYield: Liquid drives generators; this one is done at once.
  override *render(context: Context, emitter: Emitter): IterableIterator<unknown> {
    if (context instanceof RenderContext) this.write(context, emitter);
  }
}
