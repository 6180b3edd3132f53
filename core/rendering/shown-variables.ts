import { type Template as Node, toValueSync } from 'liquidjs';
import { OutputTag } from './engine.ts';

export interface ShownVariable {
  /** `['address', 'street']`; ends before the first computed name. */
  path: readonly string[];
  /** Whether the output shows something else when the variable is missing; otherwise it stays empty. */
  hasFallback: boolean;
  /** Position of its output, from 1. Reads the template up to there. */
  position(): { line: number; column: number };
}

/** Variables that outputs take from outside the template. */
export function shownVariables(nodes: readonly Node[]): ShownVariable[] {
  const all = [...withChildren(nodes)];
  const own = new Set(['forloop', 'tablerowloop', ...all.flatMap(namesOf)]);
  return all.flatMap((node) => {
    const shown = node instanceof OutputTag ? node.shown : undefined;
    const [root] = shown?.path ?? [];
    if (shown === undefined || root === undefined || own.has(root)) return [];
    const position = () => {
      const [line = 1, column = 1] = node.token.getPosition();
      return { line, column };
    };
    return [{ ...shown, position }];
  });
}

function* withChildren(nodes: readonly Node[]): Generator<Node> {
  for (const node of nodes) {
    yield node;
    // as: the library declares no type for what its generators return.
    if (node.children) yield* withChildren(toValueSync(node.children(false, true)) as Node[]);
  }
}

/** Names that a tag assigns, in the template or in its block. */
const namesOf = (node: Node): string[] => [
  ...Array.from(node.localScope?.() ?? [], ({ content }) => content),
  ...(node.blockScope?.() ?? []),
];
