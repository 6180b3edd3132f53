import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { say, sayError } from '../../ui/toast.tsx';
import { useOpen } from '../../ui/use-leave.ts';

/** Copies a workflow and opens the copy. */
export function useDuplicate(): (workflowId: string) => Promise<void> {
  const projectId = useProjectId();
  const open = useOpen();
  return async (workflowId) => {
    try {
      const { data } = await api.POST('/workflows/{id}/duplicate', { params: { path: { id: workflowId } } });
      await refresh('/workflows');
      if (!data) return;
      say(`“${data.name}” is disabled until you enable it`);
      await open({
        to: '/projects/$projectId/workflows/$workflowId',
        params: { projectId, workflowId: data.id },
      });
    } catch (error) {
      sayError(error);
    }
  };
}
