import type { ExecutionStatus } from '../../core/workflows/execution-status.ts';
import type { Outcome } from './actions.ts';
import type { ModelGraph, ModelNode, Question } from './graphs.ts';

export type Values = Record<string, unknown>;

export interface ModelContact {
  subscribed: boolean;
  data: Values;
}

export interface ModelEvent {
  /** Equal for simultaneous events. */
  at: number;
  who: number;
  name: string;
  data: Values;
}

export interface ModelRun {
  step: number;
  branch: string | null;
  output: Values | null;
  isOver: boolean;
}

export interface ModelExecution {
  graph: ModelGraph;
  who: number;
  status: ExecutionStatus;
  exitReason: string | null;
  context: Values;
  event: Values;
  runs: ModelRun[];
  since: number;
  isDue: boolean;
  /** The event that ended its wait, not yet in the context. */
  hit: ModelEvent | undefined;
  /** Its webhook call is done, but no transition has been followed yet. */
  isCalled: boolean;
  /** Events that started it or ended one of its waits. */
  used: Set<ModelEvent>;
}

export interface Settings {
  graphs: [ModelGraph, ModelGraph];
  eventName: string;
  allowReentry: boolean;
  /** Outcomes of webhook attempts, used in turn and repeated. */
  outcomes: Outcome[];
}

export const isActive = ({ status }: ModelExecution) => status === 'RUNNING' || status === 'WAITING';
export const flipName = (subscribed: boolean) => (subscribed ? 'contact.subscribed' : 'contact.unsubscribed');

export function hasEnd({ graph, runs }: ModelExecution): boolean {
  const node = graph[runs.at(-1)?.step ?? -1];
  return node?.type === 'DELAY' || (node?.type === 'WAIT_FOR_EVENT' && node.timeout !== null);
}

export function awaits({ graph, runs }: ModelExecution): string | undefined {
  const run = runs.at(-1);
  const node = run?.isOver === false ? graph[run.step] : undefined;
  return node?.type === 'WAIT_FOR_EVENT' ? node.eventName : undefined;
}

export function follows({ next }: ModelNode, branch: string | null): number | undefined {
  const named =
    branch === 'yes' || branch === 'no' || branch === 'event' || branch === 'timeout'
      ? next[branch]
      : undefined;
  return named ?? next.any;
}

export function isTrue(
  asked: Question,
  one: ModelExecution,
  contact: ModelContact,
  events: readonly ModelEvent[],
): boolean {
  const paid = () => events.filter((event) => event.who === one.who && event.name === 'paid').length;
  switch (asked.ask) {
    case 'data':
      return contact.data.a === asked.value;
    case 'event':
      return one.event.k === asked.value;
    case 'context':
      return typeof one.context.k === 'number' && one.context.k > asked.value;
    case 'subscribed':
      return contact.subscribed === asked.value;
    case 'paid':
      return paid() > 0;
    case 'paidMore':
      return paid() > asked.value;
    case 'answered': {
      const answer = one.context[`s${asked.step}`];
      return (
        typeof answer === 'object' && answer !== null && 'statusCode' in answer && answer.statusCode === 200
      );
    }
  }
}
