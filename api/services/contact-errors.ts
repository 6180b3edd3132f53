import { DomainError, validationFailed } from '../../core/errors.ts';
import { brokenConstraint } from '../../db/database-errors.ts';

const refuseNew = (field: string, names: string, existing: string, route: string) => () => {
  const message = `The project has reached its limit of 10,000 ${names}; only existing ${existing} are accepted. ${route} frees one`;
  return validationFailed([{ field, message, code: 'limit_reached' }]);
};

export const refuseNewKeys = refuseNew('data', 'keys of data', 'keys', 'DELETE /contacts/fields/{field}');
export const refuseNewName = refuseNew('event', 'event names', 'names', 'DELETE /events/{eventName}');

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
