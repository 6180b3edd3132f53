import { SesError } from '../protocol/ses-error.ts';

const configurationSet = 'posthaste';

/**
 * Whether a message that is sent with this configuration set has events: with the one that there is, which publishes
 * all of them, but not without a set.
 * @throws SesError NotFoundException for another one
 */
export function hasEvents(name: string | null): boolean {
  if (name === null || name === configurationSet) return name !== null;
  throw new SesError('NotFoundException', `Configuration set <${name}> does not exist.`);
}
