import { ApiError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { useIfMatch } from '../../../api/if-match.ts';
import { refresh } from '../../../api/query-client.ts';
import { say } from '../../../ui/toast.tsx';
import type { Step } from './graph.ts';

/** Saves a step against the version that its form opened with. */
export function useSaveStep(
  workflowId: string,
  step: Step,
): (name: string, config: Record<string, unknown>) => Promise<void> {
  const saveSeen = useIfMatch(step, 'this step');
  return async (name, config) => {
    const path = { id: workflowId, stepId: step.id };
    // as: the generated type of an object with any keys accepts no keys.
    const body = { name, config: config as Record<string, never> };
    await saveSeen((header) =>
      api.PATCH('/workflows/{id}/steps/{stepId}', { params: { path, header }, body }),
    );
    await refresh('/workflows');
    say('Saved');
  };
}

/** Renames the issues of a refusal from paths in the request to those fields of the form that have them. */
export function withFormFields(error: ApiError, fields: object): ApiError {
  const { status, requestId, message, code, suggestion } = error;
  const errors = error.issues.map((issue) => {
    const [field = '', ...rest] = issue.field.replace(/^config\./, '').split('.');
    return field in fields ? { ...issue, field, message: [...rest, issue.message].join(': ') } : issue;
  });
  return Object.assign(new ApiError(status, requestId, { message, errors }), { code, suggestion });
}
