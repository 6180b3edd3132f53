import {
  AssertionError,
  type Context,
  type Emitter,
  type Liquid,
  type Template,
  toValueSync,
} from 'liquidjs';
import { type PiecedText, withoutHoles } from './pieced-text.ts';
import { RenderLimitExceeded } from './render-budget.ts';
import { type RenderContext, renderContextOf } from './render-context.ts';
import { toText } from './values.ts';

export class BoundedEmitter implements Emitter {
  buffer = '';
  /** Number of holes in the buffer, and the characters that their pieces will add. */
  pieces = 0;
  private missing = 0;
  private readonly context: RenderContext;

  constructor(context: RenderContext) {
    this.context = context;
  }

  write(value: unknown): void {
    this.append(withoutHoles(toText(value, this.context.budget)));
  }

  /** @param text without holes, or the outline of a text that has `pieces` with `missing` more characters */
  append(text: string, pieces = 0, missing = 0): void {
    this.buffer += text;
    this.pieces += pieces;
    this.missing += missing;
    if (this.buffer.length + this.missing > this.context.budget.limits.outputCharacters) {
      throw new RenderLimitExceeded('output');
    }
  }
}

/** Writes a literal without the generator of liquidjs, which costs more than writing the text. */
export function literalRender({ outline, pieces }: PiecedText): Template['render'] {
  const missing = pieces.reduce((sum, piece) => sum + piece.length - 1, 0);
  return (_context, emitter) => {
    if (!(emitter instanceof BoundedEmitter)) throw new TypeError('not a rendering of this engine');
    emitter.append(outline, pieces.length, missing);
  };
}

/**
 * Renders nodes in order within the budget. A node that fails on its data keeps what it has written, and
 * rendering continues; only an exceeded limit stops it.
 *
 * @throws RenderLimitExceeded
 */
export function renderNodes(nodes: readonly Template[], context: RenderContext, emitter: Emitter): void {
  context.budget.step();
  for (const node of nodes) {
    context.budget.step();
    try {
      const written: unknown = node.render(context, emitter);
      if (written !== undefined) emitter.write(toValueSync(written));
    } catch (error) {
      throwIfLimit(error);
    }
    if (context.breakCalled || context.continueCalled) break;
  }
}

function throwIfLimit(error: unknown): void {
  if (error instanceof RenderLimitExceeded) throw error;
  // The memoryLimit of liquidjs, and recursion that no other limit caught.
  if (error instanceof AssertionError && error.message.endsWith('limit exceeded')) {
    throw new RenderLimitExceeded('work');
  }
  if (error instanceof RangeError && error.message.includes('call stack')) {
    throw new RenderLimitExceeded('nesting');
  }
}

export const boundedRender: Pick<Liquid['renderer'], 'renderTemplates'> = {
  // biome-ignore lint/correctness/useYield: liquidjs drives generators; this one is done at once.
  *renderTemplates(nodes: Template[], context: Context, emitter?: Emitter): IterableIterator<unknown> {
    const rendering = renderContextOf(context);
    const target = emitter ?? new BoundedEmitter(rendering);
    renderNodes(nodes, rendering, target);
    return target.buffer;
  },
};
