import { useState } from 'react';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { sayError } from '../../ui/toast.tsx';
import type { Branch, OpenEnd, Way } from './graph/graph.ts';
import type { AddedType } from './step-types.ts';

export interface GraphEdits {
  isBusy: boolean;
  append: (end: OpenEnd, type: AddedType) => void;
  /** Inserts a step into a transition; its first branch continues to the next step. */
  insert: (way: Way, type: AddedType) => void;
  connect: (end: OpenEnd, toStepId: string) => void;
  disconnect: (way: Way) => void;
  /** Gives each outcome of a wait its own transition; both still lead to the same step. */
  separate: (way: Way, hasTimeout: boolean) => void;
}

/** @param onAdded opens the form of a new step */
export function useGraphEdits(workflowId: string, onAdded: (stepId: string) => void): GraphEdits {
  const [isBusy, setIsBusy] = useState(false);
  const path = { id: workflowId };
  const ways = '/workflows/{id}/transitions' as const;

  async function run(edit: () => Promise<string | undefined>): Promise<void> {
    setIsBusy(true);
    let added: string | undefined;
    try {
      added = await edit();
    } catch (error) {
      sayError(error);
    }
    await refresh('/workflows');
    setIsBusy(false);
    if (added !== undefined) onAdded(added);
  }

  const add = (body: { type: AddedType; autoConnect?: string; branch?: Branch; transitionId?: string }) =>
    void run(async () => {
      const { data } = await api.POST('/workflows/{id}/steps', { params: { path }, body });
      return data?.id;
    });
  const join = (body: OpenEnd & { toStepId: string }) => api.POST(ways, { params: { path }, body });
  const cut = (way: Way) =>
    api.DELETE('/workflows/{id}/transitions/{transitionId}', {
      params: { path: { ...path, transitionId: way.id } },
    });

  return {
    isBusy,
    append: ({ fromStepId, branch }, type) => add({ type, autoConnect: fromStepId, branch }),
    insert: (way, type) => add({ type, transitionId: way.id }),
    connect: (end, toStepId) =>
      void run(async () => {
        await join({ ...end, toStepId });
        return undefined;
      }),
    disconnect: (way) =>
      void run(async () => {
        await cut(way);
        return undefined;
      }),
    separate: (way, hasTimeout) =>
      void run(async () => {
        const { fromStepId, toStepId } = way;
        await cut(way);
        await join({ fromStepId, toStepId, branch: 'event' });
        if (hasTimeout) await join({ fromStepId, toStepId, branch: 'timeout' });
        return undefined;
      }),
  };
}
