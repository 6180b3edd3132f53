import {
  Background,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './graph-canvas.css';
import { useEffect, useMemo } from 'react';
import { useIsDark } from '../../shell/theme.ts';
import { branchWords, type Graph, type OpenEnd, type Step } from './graph/graph.ts';
import { useGraphView } from './graph-view.ts';
import { curveThrough, layOut, type PlacedEdge, stepWidth } from './layout.ts';
import { nodeHeight, StepNode } from './step-node.tsx';
import { EndMenu, TransitionMenu } from './transition-menus.tsx';

type StepFlowNode = Node<{ step: Step }, 'step'>;
type EndFlowNode = Node<{ end: OpenEnd }, 'end'>;
type TransitionFlowEdge = Edge<{ placed: PlacedEdge }, 'transition'>;

const nodeTypes = {
  step: ({ data }: NodeProps<StepFlowNode>) => (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <StepNode step={data.step} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  ),
  end: ({ data }: NodeProps<EndFlowNode>) => (
    <div className="nopan pointer-events-auto">
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <EndMenu end={data.end} />
    </div>
  ),
};

const edgeTypes = { transition: TransitionEdge };
const fitOptions = { maxZoom: 1, minZoom: 0.5, padding: 0.08 };

/** The graph as a diagram with automatic layout. Loaded lazily, because the libraries are large. */
export default function GraphCanvas() {
  const view = useGraphView();
  const isDark = useIsDark();
  const { graph } = view;
  const hasEnds = view.edits !== null;
  // Only the heights matter for the layout: other data of the nodes may arrive later without moving anything.
  const heights = graph.steps.map((step) => nodeHeight(step, view)).join();
  const { nodes, edges } = useMemo(
    () => toFlow(graph, heights.split(',').map(Number), hasEnds),
    [graph, heights, hasEnds],
  );
  return (
    <div className="h-[max(28rem,calc(100dvh-15rem))] overflow-hidden rounded-lg border border-line">
      <Heads />
      <ReactFlow
        aria-label="The graph of the workflow"
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={isDark ? 'dark' : 'light'}
        fitView
        fitViewOptions={fitOptions}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        deleteKeyCode={null}
      >
        <Background gap={20} />
        <Controls showInteractive={false} fitViewOptions={fitOptions} />
        <FollowFocus />
        <KeepInSight shape={nodes.map(({ id }) => id).join()} />
      </ReactFlow>
    </div>
  );
}

/** @param heights of the steps, in the same order */
function toFlow(graph: Graph, heights: readonly number[], hasEnds: boolean) {
  const heightById = new Map(graph.steps.map(({ id }, index) => [id, heights[index] ?? 0]));
  const layout = layOut(graph, ({ id }) => heightById.get(id) ?? 0, hasEnds);
  return {
    nodes: [
      ...layout.steps.map(
        ({ step, at, height }): StepFlowNode => ({
          id: step.id,
          type: 'step',
          position: at,
          data: { step },
          width: stepWidth,
          height,
        }),
      ),
      ...layout.ends.map(
        ({ id, end, at }): EndFlowNode => ({ id, type: 'end', position: at, data: { end } }),
      ),
    ],
    edges: layout.edges.map(
      (placed): TransitionFlowEdge => ({
        id: placed.id,
        type: 'transition',
        source: placed.from,
        target: placed.to,
        data: { placed },
      }),
    ),
  };
}

/**
 * Fits the view again after steps were added or removed, or the width changed. Not the height: it changes while a phone
 * scrolls.
 */
function KeepInSight({ shape }: { shape: string }) {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown decides, though nothing here reads it
  useEffect(() => {
    void fitView(fitOptions);
  }, [shape, width, fitView]);
  return null;
}

const focusMargin = 16;

/** Moves the canvas to what the keyboard focuses, because it also reaches what is out of sight. */
function FollowFocus() {
  const { getViewport, setViewport } = useReactFlow();
  const frame = useStore(({ domNode }) => domNode);
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      // Not under the pointer, whose click would miss.
      if (frame === null || !(target instanceof Element) || !target.matches(':focus-visible')) return;
      // The browser may have scrolled to it already, which the library undoes.
      frame.scrollTo(0, 0);
      const [item, sight] = [target.getBoundingClientRect(), frame.getBoundingClientRect()];
      const dx = shiftInto(item.left, item.right, sight.left, sight.right);
      const dy = shiftInto(item.top, item.bottom, sight.top, sight.bottom);
      const { x, y, zoom } = getViewport();
      if (dx !== 0 || dy !== 0) void setViewport({ x: x + dx, y: y + dy, zoom });
    };
    frame?.addEventListener('focusin', follow);
    return () => frame?.removeEventListener('focusin', follow);
  }, [frame, getViewport, setViewport]);
  return null;
}

function shiftInto(start: number, end: number, from: number, to: number): number {
  if (start < from) return from - start + focusMargin;
  return end > to ? to - end - focusMargin : 0;
}

/** Arrow heads, referenced by the paths. */
function Heads() {
  return (
    <svg aria-hidden="true" className="absolute size-0">
      <defs>
        {['graph-transition-head', 'graph-transition-head-lit'].map((id) => (
          <marker
            key={id}
            id={id}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="9"
            markerHeight="9"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path
              d="M 0 0 L 8 4 L 0 8 Z"
              className={id === 'graph-transition-head' ? 'fill-line-strong' : 'fill-accent'}
            />
          </marker>
        ))}
      </defs>
    </svg>
  );
}

function TransitionEdge({ data }: EdgeProps<TransitionFlowEdge>) {
  const { path } = useGraphView();
  if (data === undefined) return null;
  const { id, branch, transition, points, label } = data.placed;
  const isLit = path?.transitions.has(id) ?? false;
  return (
    <>
      <path
        d={curveThrough(points)}
        className={isLit ? 'graph-transition graph-transition-lit' : 'graph-transition'}
        markerEnd={transition && `url(#${isLit ? 'graph-transition-head-lit' : 'graph-transition-head'})`}
      />
      <EdgeLabelRenderer>
        <div
          className="nopan pointer-events-auto absolute flex items-center gap-1"
          style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
        >
          {branch !== null && (
            <span className="rounded bg-canvas px-1 text-xs font-medium text-muted">
              {branchWords[branch]}
            </span>
          )}
          {transition && <TransitionMenu transition={transition} />}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}
