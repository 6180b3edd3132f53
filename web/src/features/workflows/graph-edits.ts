import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { ifMatch, isStale } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { sayError } from '../../ui/toast.tsx';
import type { Branch, OpenEnd, Transition } from './graph/graph.ts';
import type { AddedType } from './step-types.ts';

export interface GraphEdits {
  isBusy: boolean;
  append: (end: OpenEnd, type: AddedType) => void;
  /** Inserts a step into a transition; the step's first branch leads to the next step. */
  insert: (transition: Transition, type: AddedType) => void;
  connect: (end: OpenEnd, toStepId: string) => void;
  disconnect: (transition: Transition) => void;
  /** Gives each outcome of a wait its own transition; at first, both lead to the same step. */
  separate: (transition: Transition, hasTimeout: boolean) => void;
}

type Workflow = Schema<'WorkflowWithGraph'>;

class ChangedByOthers extends Error {
  constructor() {
    super('Someone else has changed this workflow. You now see their version; make your change again.');
  }
}

/** Makes an edit and reloads the graph, even if the edit was refused because someone else has changed the graph. */
export async function editGraph<Result>(edit: () => Promise<Result>): Promise<Result> {
  try {
    return await edit();
  } catch (error) {
    throw isStale(error) ? new ChangedByOthers() : error;
  } finally {
    await refresh('/workflows');
  }
}

/** Loads the workflow after an edit, as the base of the next edit. @throws if someone else has edited it in between */
async function readAfterEdit(before: Workflow): Promise<Workflow> {
  const { data } = await api.GET('/workflows/{id}', { params: { path: { id: before.id } } });
  if (data?.version !== before.version + 1) throw new ChangedByOthers();
  return data;
}

/**
 * Edits apply to the version of the graph that is shown.
 *
 * @param onAdded opens the form of a new step
 */
export function useGraphEdits(workflow: Workflow, onAdded: (stepId: string) => void): GraphEdits {
  const [isBusy, setIsBusy] = useState(false);
  const path = { id: workflow.id };
  const header = ifMatch(workflow);
  const transitionsPath = '/workflows/{id}/transitions' as const;

  async function run(edit: () => Promise<string | undefined>): Promise<void> {
    setIsBusy(true);
    try {
      const added = await editGraph(edit);
      if (added !== undefined) onAdded(added);
    } catch (error) {
      sayError(error);
    }
    setIsBusy(false);
  }

  const add = (body: { type: AddedType; autoConnect?: string; branch?: Branch; transitionId?: string }) =>
    void run(async () => {
      const { data } = await api.POST('/workflows/{id}/steps', { params: { path, header }, body });
      return data?.id;
    });
  const join = (body: OpenEnd & { toStepId: string }, seen: typeof header) =>
    api.POST(transitionsPath, { params: { path, header: seen }, body });
  const cut = (transition: Transition) =>
    api.DELETE('/workflows/{id}/transitions/{transitionId}', {
      params: { path: { ...path, transitionId: transition.id }, header },
    });

  return {
    isBusy,
    append: ({ fromStepId, branch }, type) => add({ type, autoConnect: fromStepId, branch }),
    insert: (transition, type) => add({ type, transitionId: transition.id }),
    connect: (end, toStepId) =>
      void run(async () => {
        await join({ ...end, toStepId }, header);
        return undefined;
      }),
    disconnect: (transition) =>
      void run(async () => {
        await cut(transition);
        return undefined;
      }),
    separate: (transition, hasTimeout) =>
      void run(async () => {
        const { fromStepId, toStepId } = transition;
        await cut(transition);
        const cutOff = await readAfterEdit(workflow);
        await join({ fromStepId, toStepId, branch: 'event' }, ifMatch(cutOff));
        if (!hasTimeout) return undefined;
        await join({ fromStepId, toStepId, branch: 'timeout' }, ifMatch(await readAfterEdit(cutOff)));
        return undefined;
      }),
  };
}
