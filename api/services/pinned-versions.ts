import { DomainError } from '../../core/errors.ts';
import type { PinnedVersion } from '../../db/statements/templates/workflows-of-template.ts';

/** @param refusal such as "The template can't be deleted" */
export function stillPinned(refusal: string, workflowVersions: PinnedVersion[]): DomainError {
  return new DomainError('CONFLICT', `${refusal} while executions use it`, {
    details: { workflowVersions },
    suggestion:
      'Executions follow the version of the workflow that they started with: wait for them to end, or ' +
      'cancel them. ' +
      "An enabled workflow whose steps can't run yet starts the last version that could: finish its steps " +
      'first.',
  });
}
