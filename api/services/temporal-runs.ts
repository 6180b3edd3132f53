export type TemporalRuns = ReturnType<typeof createTemporalRuns>;

/** @param ui null without a Temporal UI; then runs have no address */
export function createTemporalRuns(ui: { url: string; namespace: string } | null) {
  const pages =
    ui && `${ui.url.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(ui.namespace)}/workflows`;
  return (workflowId: string | null) => ({
    temporalWorkflowId: workflowId,
    temporalUrl: pages === null || workflowId === null ? null : `${pages}/${encodeURIComponent(workflowId)}`,
  });
}
