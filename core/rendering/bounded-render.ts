import {
  AssertionError,
  type Context,
  type Emitter,
  type Liquid,
  type Template,
  toValueSync,
} from 'liquidjs';
import { DirectNode } from './direct-node.ts';
import { RenderLimitExceeded } from './render-budget.ts';
import { RenderContext } from './render-context.ts';
import { toText } from './values.ts';

type Render = Liquid['renderer'];

/** Collects output, up to the limit of one part. */
export class BoundedEmitter implements Emitter {
  buffer = '';
  private readonly context: RenderContext;

  constructor(context: RenderContext) {
    this.context = context;
  }

  write(value: unknown): void {
    const { budget } = this.context;
    this.buffer += toText(value, budget);
    if (this.buffer.length > budget.limits.outputCharacters) throw new RenderLimitExceeded('output');
  }
}

/**
 * Renders nodes one after the other within the budget. A node that fails on its data leaves what it has
 * written so far and the rendering goes on; only an exceeded limit stops it.
 *
 * @throws RenderLimitExceeded
 */
export function renderNodes(nodes: readonly Template[], context: RenderContext, emitter: Emitter): void {
  context.budget.step();
  for (const node of nodes) {
    context.budget.step();
    try {
      if (node instanceof DirectNode) node.write(context, emitter);
      else emitter.write(toValueSync(node.render(context, emitter)));
    } catch (error) {
      throwIfLimit(error);
    }
    if (context.breakCalled || context.continueCalled) break;
  }
}

function throwIfLimit(error: unknown): void {
  if (error instanceof RenderLimitExceeded) throw error;
  // Liquid's own count of what filters allocate, and recursion that no other limit caught.
  if (error instanceof AssertionError && error.message.endsWith('limit exceeded')) {
    throw new RenderLimitExceeded('work');
  }
  if (error instanceof RangeError && error.message.includes('call stack')) {
    throw new RenderLimitExceeded('nesting');
  }
}

/** What tags use to render the nodes inside them. */
export const boundedRender: Pick<Render, 'renderTemplates'> = {
  // biome-ignore lint/correctness/useYield: Liquid drives generators; this one is done at once.
  *renderTemplates(nodes: Template[], context: Context, emitter?: Emitter): IterableIterator<unknown> {
    if (!(context instanceof RenderContext)) return '';
    const target = emitter ?? new BoundedEmitter(context);
    renderNodes(nodes, context, target);
    return target.buffer;
  },
};
