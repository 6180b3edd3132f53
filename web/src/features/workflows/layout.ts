import { Graph as DagreGraph, layout } from '@dagrejs/dagre';
import { type Graph, type OpenEnd, openEnds, type Step, type Transition } from './graph/graph.ts';

export const stepWidth = 264;
const endSize = { width: 128, height: 32 };
/** Space on each transition for its branch label and its button. */
const labelSize = { width: 96, height: 28 };

export interface Point {
  x: number;
  y: number;
}

export interface PlacedStep {
  step: Step;
  at: Point;
  height: number;
}

export interface PlacedEdge {
  id: string;
  from: string;
  to: string;
  branch: Transition['branch'];
  /** Undefined for the edge to an open end. */
  transition?: Transition;
  points: Point[];
  label: Point;
}

export interface Layout {
  steps: PlacedStep[];
  ends: { id: string; end: OpenEnd; at: Point }[];
  edges: PlacedEdge[];
}

/** Places all nodes from top to bottom; `at` is the upper left corner. */
export function layOut(graph: Graph, heightOf: (step: Step) => number, hasEnds: boolean): Layout {
  const dagre = new DagreGraph({ multigraph: true });
  dagre.setGraph({ rankdir: 'TB', nodesep: 32, edgesep: 24, ranksep: 20 });
  dagre.setDefaultEdgeLabel(() => ({}));
  for (const step of graph.steps) dagre.setNode(step.id, { width: stepWidth, height: heightOf(step) });
  const ends = (hasEnds ? graph.steps.flatMap((step) => openEnds(graph, step)) : []).map((end) => ({
    id: `${end.fromStepId} ${end.branch ?? ''}`,
    end,
  }));
  for (const { id } of ends) dagre.setNode(id, { ...endSize });
  const edges = [
    ...graph.transitions.map((transition) => ({
      id: transition.id,
      from: transition.fromStepId,
      to: transition.toStepId,
      branch: transition.branch,
      transition,
    })),
    ...ends.map(({ id, end }) => ({ id: `to ${id}`, from: end.fromStepId, to: id, branch: end.branch })),
  ].toSorted((a, b) => rankOf(a.branch) - rankOf(b.branch));
  for (const { id, from, to } of edges) dagre.setEdge(from, to, { ...labelSize, labelpos: 'c' }, id);
  layout(dagre);
  const corner = (id: string): Point => {
    const { x, y, width, height } = dagre.node(id);
    return { x: x - width / 2, y: y - height / 2 };
  };
  return {
    steps: graph.steps.map((step) => ({ step, at: corner(step.id), height: heightOf(step) })),
    ends: ends.map(({ id, end }) => ({ id, end, at: corner(id) })),
    edges: edges.map((edge) => {
      const { points, x, y } = dagre.edge(edge.from, edge.to, edge.id);
      return { ...edge, points, label: { x, y } };
    }),
  };
}

/** The layout places later transitions further left; the expected outcome belongs there. */
const rankOf = (branch: Transition['branch']): number => (branch === 'no' || branch === 'timeout' ? 0 : 1);

/** A curve that leaves and enters each point vertically. */
export function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let before = first;
  const parts = [`M ${first.x} ${first.y}`];
  for (const { x, y } of rest) {
    const middle = (before.y + y) / 2;
    parts.push(`C ${before.x} ${middle}, ${x} ${middle}, ${x} ${y}`);
    before = { x, y };
  }
  return parts.join(' ');
}
