export interface TemporalRun {
  temporalWorkflowId: string | null;
  /** URL of the run in the Temporal UI; null if none is configured. */
  temporalUrl: string | null;
}

export type TemporalRuns = (workflowId: string | null) => TemporalRun;

export function createTemporalRuns(ui: { url: string; namespace: string } | null): TemporalRuns {
  const pages =
    ui === null
      ? null
      : `${ui.url.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(ui.namespace)}/workflows`;
  return (workflowId) => ({
    temporalWorkflowId: workflowId,
    temporalUrl: pages === null || workflowId === null ? null : `${pages}/${encodeURIComponent(workflowId)}`,
  });
}
