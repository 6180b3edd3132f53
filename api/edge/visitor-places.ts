import { DomainError } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { createProjectPlaces } from '../services/project-places.ts';
import type { RunInTurn } from '../services/short-place.ts';

/** About two seconds of passwords to hash; further requests are refused. One client address has at most half of it. */
const mostWaiting = 100;
const retryAfterSeconds = 2;

/**
 * For requests of neither a project nor a user, such as sign-ins. Together they have the places of one project, so that a
 * flood of them leaves places to projects; within these, client addresses take turns, and none has all of them.
 *
 * @returns a function whose `owner` is the client address; it throws DomainError `SERVICE_UNAVAILABLE` when too many wait
 */
export function createVisitorPlaces(inAll: FairSemaphore): RunInTurn {
  const visitors = createProjectPlaces(Number.POSITIVE_INFINITY, { inAll, what: 'requests' });
  const places = Math.ceil(inAll.capacity / 2);
  const addresses = new FairSemaphore(places, { perOwner: Math.max(1, places - 1) });
  return async (address, work, signal) => {
    if (addresses.waiting() >= mostWaiting || addresses.waiting(address) >= mostWaiting / 2) {
      throw new DomainError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment', {
        retryAfterSeconds,
      });
    }
    return addresses.run(address, () => visitors.run(address, work, signal), signal);
  };
}
