import { DomainError, validationFailed } from '../../core/errors.ts';
import { brokenConstraint } from '../../db/database-errors.ts';

export const refuseNewKeys = () =>
  validationFailed([
    {
      field: 'data',
      message:
        'The project has reached its limit of 10,000 keys of data; only existing keys are accepted. ' +
        'DELETE /contacts/fields/{field} frees one',
      code: 'limit_reached',
    },
  ]);

export const refuseNewName = () =>
  validationFailed([
    {
      field: 'event',
      message:
        'The project has reached its limit of 10,000 event names; only existing names are accepted. ' +
        'DELETE /events/{eventName} frees one',
      code: 'limit_reached',
    },
  ]);

/** Translates constraint violations of contact writes into domain errors; returns other errors unchanged. */
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
