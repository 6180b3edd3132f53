import { useState } from 'react';
import { z } from 'zod';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormSelect } from '../../ui/form-select.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say, sayError } from '../../ui/toast.tsx';

/** Continues a failed execution at the step that failed. */
export function RetryButton({ execution: { id, workflowId } }: { execution: Schema<'WorkflowExecution'> }) {
  const [isPending, setIsPending] = useState(false);
  const retry = async () => {
    setIsPending(true);
    try {
      await api.POST('/workflows/{id}/executions/{executionId}/retry', {
        params: { path: { id: workflowId, executionId: id } },
      });
      await refresh('/workflows');
      say('Continues at the step that failed');
    } catch (error) {
      sayError(error);
    }
    setIsPending(false);
  };
  return (
    <Button isPending={isPending} onPress={() => void retry()}>
      Retry
    </Button>
  );
}

const hours = { '1': 'The last hour', '24': 'The last 24 hours', '168': 'The last 7 days', all: 'Any time' };
const schema = z.object({ within: z.enum(['1', '24', '168', 'all']) });
const options = Object.entries(hours).map(([value, label]) => ({ value, label }));

const ago = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 60 * 60 * 1000).toISOString();

export function RetryFailedDialog({ workflowId, ...state }: DialogState & { workflowId: string }) {
  return (
    <FormDialog
      {...state}
      title="Retry failed executions"
      action="Retry"
      schema={schema}
      defaultValues={{ within: '24' }}
      save={async ({ within }, finish) => {
        const { data } = await api.POST('/workflows/{id}/executions/retry-failed', {
          params: { path: { id: workflowId } },
          body: { failedSince: within === 'all' ? null : ago(Number(within)) },
        });
        await refresh('/workflows');
        if (data) say(outcomeOf(data));
        await finish();
      }}
    >
      {({ control }) => (
        <>
          <p className="text-sm text-muted">
            Each continues at the step that failed, as that step is now in the graph. Steps before it are not
            repeated.
          </p>
          <FormSelect control={control} name="within" label="That failed within" options={options} />
        </>
      )}
    </FormDialog>
  );
}

function outcomeOf({ retried, skipped }: { retried: number; skipped: number }): string {
  const continues = `${quantity(retried, 'execution')} ${retried === 1 ? 'continues' : 'continue'}`;
  if (skipped === 0) return continues;
  return `${continues}; ${skipped} can’t: the contact or the step is gone, or the contact is in the workflow again`;
}
