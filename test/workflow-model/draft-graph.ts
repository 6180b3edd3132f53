import { randomUUID } from 'node:crypto';
import type { Branch, DraftGraph, DraftStep } from '../../core/workflows/graph.ts';
import type { ModelGraph, ModelNode, Question } from './graphs.ts';

export interface Particulars {
  eventName: string;
  templateIds: readonly string[];
  hookUrl: string;
  delay: { amount: number; unit: 'minutes' | 'days' };
}

/** A graph of the model as the product stores it; step `n` is named `sn`. */
export function toDraftGraph(graph: ModelGraph, particulars: Particulars): DraftGraph {
  const ids = graph.map(() => randomUUID());
  const trigger = { id: randomUUID(), type: 'TRIGGER' as const, name: 'Trigger', config: {} };
  const way = (fromStepId: string, to: number, branch: Branch | null) => ({
    id: randomUUID(),
    fromStepId,
    toStepId: ids[to] ?? '',
    branch,
  });
  return {
    eventName: particulars.eventName,
    steps: [
      trigger,
      ...graph.map((node, n): DraftStep => {
        const config = configOf(node, n, particulars);
        return { id: ids[n] ?? '', type: node.type, name: `s${n}`, config };
      }),
    ],
    transitions: [
      way(trigger.id, 0, null),
      ...graph.flatMap(({ next }, n) =>
        (['any', 'yes', 'no', 'event', 'timeout'] as const).flatMap((branch) => {
          const to = next[branch];
          return to === undefined ? [] : [way(ids[n] ?? '', to, branch === 'any' ? null : branch)];
        }),
      ),
    ],
  };
}

function configOf(
  node: ModelNode,
  n: number,
  { templateIds, hookUrl, delay }: Particulars,
): DraftStep['config'] {
  switch (node.type) {
    case 'SEND_EMAIL':
      return {
        templateId: templateIds[node.template],
        ...(node.to !== null && { recipient: { type: 'CUSTOM', email: node.to } }),
      };
    case 'DELAY':
      return { ...delay };
    case 'WAIT_FOR_EVENT':
      return { eventName: node.eventName, ...(node.timeout !== null && { timeout: node.timeout }) };
    case 'CONDITION': {
      const filters = node.questions.map(toFilter);
      const groups = node.logic === 'AND' ? [{ filters }] : filters.map((filter) => ({ filters: [filter] }));
      return { logic: node.logic, groups };
    }
    case 'WEBHOOK':
      return { url: `${hookUrl}?c={{ context.k }}&e={{ event.k }}`, body: { a: '{{ data.a }}', n } };
    case 'UPDATE_CONTACT':
      return {
        ...(node.a !== undefined && { data: { a: node.a } }),
        ...(node.subscribed !== undefined && { subscribed: node.subscribed }),
      };
    case 'EXIT':
      return node.reason === null ? {} : { reason: node.reason };
  }
}

function toFilter(question: Question): object {
  switch (question.ask) {
    case 'data':
      return { field: 'data.a', operator: 'equals', value: question.value };
    case 'event':
      return { field: 'event.k', operator: 'equals', value: question.value };
    case 'context':
      return { field: 'context.k', operator: 'greaterThan', value: question.value };
    case 'subscribed':
      return { field: 'subscribed', operator: 'equals', value: question.value };
    case 'paid':
      return { field: 'event.paid', operator: 'triggered' };
    case 'paidMore':
      return { field: 'event.paid', operator: 'countGreaterThan', value: question.value };
    case 'answered':
      return { field: `context.s${question.step}.statusCode`, operator: 'equals', value: 200 };
  }
}
