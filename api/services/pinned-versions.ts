import { DomainError } from '../../core/errors.ts';
import type { PinnedVersion } from '../../db/statements/templates/workflows-of-template.ts';

export function stillPinned(what: 'template' | 'segment', workflowVersions: PinnedVersion[]): DomainError {
  return new DomainError('CONFLICT', `The ${what} can't be deleted while executions use it`, {
    details: { workflowVersions },
    suggestion:
      'Executions follow the version of the workflow that they started with: wait for them to end, or ' +
      'cancel them. ' +
      "An enabled workflow whose steps can't run yet starts the last version that could: finish its steps " +
      'first.',
  });
}
