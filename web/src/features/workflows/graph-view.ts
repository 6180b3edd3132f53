import { createContext, useContext } from 'react';
import type { Fault, Graph, Path, Step } from './graph/graph.ts';
import type { GraphEdits } from './graph-edits.ts';

export interface StepFigures {
  entered: number;
  waiting: number;
  failed: number;
}

/** What the canvas and the outline show, and what the user can do there. */
export interface GraphView {
  graph: Graph;
  words: (step: Step) => string;
  faults: readonly Fault[];
  figuresOf: (stepId: string) => StepFigures | undefined;
  /** Whether steps reserve a row for their figures even before these arrive, so that nothing moves. */
  hasFigures: boolean;
  /** Highlights the path of one contact; null for none. */
  path: Path | null;
  /** The step at which that contact is now. */
  currentStepId: string | null;
  onOpen: (stepId: string) => void;
  onRemove: (step: Step) => void;
  /** Null when the graph is read-only. */
  edits: GraphEdits | null;
}

const GraphViewContext = createContext<GraphView | null>(null);

export const GraphViewProvider = GraphViewContext.Provider;

export function useGraphView(): GraphView {
  const view = useContext(GraphViewContext);
  if (view === null) throw new Error('Not within a graph');
  return view;
}
