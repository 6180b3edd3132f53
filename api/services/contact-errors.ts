import { DomainError, validationFailed } from '../../core/errors.ts';
import { brokenConstraint } from '../../db/batching/is-rolled-back.ts';

/** What a statement that writes contacts ran into, as a refusal where it is the caller's doing. */
export function contactRefusal(error: unknown): unknown {
  switch (brokenConstraint(error)) {
    case 'contacts_data_size':
      return validationFailed([
        { field: 'data', message: "A contact's data has at most 64 KB of JSON", code: 'too_big' },
      ]);
    case 'contacts_project_email':
      return new DomainError('CONFLICT', 'Another contact of the project has this email address');
    default:
      return error;
  }
}
