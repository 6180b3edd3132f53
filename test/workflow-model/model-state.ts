import type { Outcome } from './actions.ts';
import type { ModelGraph, ModelNode, Question } from './graphs.ts';

export type Values = Record<string, unknown>;

export interface ModelContact {
  subscribed: boolean;
  data: Values;
}

export interface ModelEvent {
  /** Events of one moment have the same. */
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
  status: 'RUNNING' | 'WAITING' | 'COMPLETED' | 'EXITED' | 'FAILED' | 'CANCELLED';
  exitReason: string | null;
  context: Values;
  event: Values;
  runs: ModelRun[];
  /** When the step before ended. */
  since: number;
  isDue: boolean;
  /** Has ended its wait, and is not in the context yet. */
  hit: ModelEvent | undefined;
  /** Its call is over, and nothing has followed yet. */
  isCalled: boolean;
  /** Events that have started it, or ended a wait of it. */
  used: Set<ModelEvent>;
}

export interface Settings {
  graphs: [ModelGraph, ModelGraph];
  eventName: string;
  allowReentry: boolean;
  /** Of the tries of webhooks, in turn, over and over. */
  outcomes: Outcome[];
}

export const isActive = ({ status }: ModelExecution) => status === 'RUNNING' || status === 'WAITING';
export const flipName = (subscribed: boolean) => (subscribed ? 'contact.subscribed' : 'contact.unsubscribed');

/** Whether its pause ends by itself. */
export function hasEnd({ graph, runs }: ModelExecution): boolean {
  const node = graph[runs.at(-1)?.step ?? -1];
  return node?.type === 'DELAY' || (node?.type === 'WAIT_FOR_EVENT' && node.timeout !== null);
}

/** The event that would end its wait. */
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
