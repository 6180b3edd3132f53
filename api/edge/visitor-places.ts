import type { FairSemaphore } from '../../core/fair-semaphore.ts';
import { createProjectPlaces } from '../services/project-places.ts';

/** About two seconds of passwords to hash. */
const mostWaiting = 100;

/**
 * For requests of neither a project nor a user, such as sign-ins. Together they have the places of one project, so that a
 * flood of them leaves places to projects; within these, client addresses take turns as projects do, none has all of them,
 * and one has at most half of those that wait.
 */
export function createVisitorPlaces(inAll: FairSemaphore) {
  const together = Math.ceil(inAll.capacity / 2);
  return createProjectPlaces(Math.max(1, together - 1), {
    inAll,
    together,
    what: 'requests',
    ofOwner: 'from this address',
    mostWaiting: mostWaiting / 2,
    mostWaitingTogether: mostWaiting,
    refusal: 'SERVICE_UNAVAILABLE',
  });
}
