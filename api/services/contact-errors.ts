import { DomainError, validationFailed } from '../../core/errors.ts';
import { brokenConstraint } from '../../db/batching/is-rolled-back.ts';

/** For a write with a key of `data` that is one too many for the project. */
export const refuseNewKeys = () =>
  validationFailed([
    {
      field: 'data',
      message:
        'The project has reached its limit of 10,000 keys of data, and only those it has are accepted. ' +
        'DELETE /contacts/fields/{field} makes room',
      code: 'limit_reached',
    },
  ]);

/** For an event with a name that is one too many for the project. */
export const refuseNewName = () =>
  validationFailed([
    {
      field: 'event',
      message:
        'The project has reached its limit of 10,000 event names, and only those it has are accepted. ' +
        'DELETE /events/{eventName} makes room',
      code: 'limit_reached',
    },
  ]);

/** What a statement that writes contacts ran into, as a refusal where it is the caller's doing. */
export function contactRefusal(error: unknown): unknown {
  switch (brokenConstraint(error)) {
    case 'contacts_data_size':
      return validationFailed([
        { field: 'data', message: "A contact's data has at most 64 KB of JSON", code: 'too_big' },
      ]);
    case 'contact_fields_limit':
      return refuseNewKeys();
    case 'event_names_limit':
      return refuseNewName();
    case 'contacts_project_email':
      return new DomainError('CONFLICT', 'Another contact of the project has this email address');
    default:
      return error;
  }
}
