import { SesError } from '../protocol/ses-error.ts';

const configurationSet = 'posthaste';

/**
 * Whether messages sent with this configuration set have events: yes with the only set, which publishes all of them, no
 * without a set.
 * @throws SesError NotFoundException for any other set
 */
export function hasEvents(name: string | null): boolean {
  if (name === null || name === configurationSet) return name !== null;
  throw new SesError('NotFoundException', `Configuration set <${name}> does not exist.`);
}
