/**
 * Limits that stop endless workflows: loops in one graph, and chains of workflows that start one another.
 *
 * An event caused by a person or a client has 0 hops. Events caused by an execution (a changed subscription, an email
 * and its provider events, entering or leaving a segment) have one hop more than the execution, which has the hops of
 * the event that started it. A pause in the workflow's design starts a new chain, as does a 0-hop event that ends a
 * wait. The time until an email is opened or a segment is computed does not count as a pause.
 */

/** Shortest pause: a loop with one in each round may run without a limit. */
export const minPauseMs = 60_000;

/** Longer than intentional chains, and short enough that a contact in a cycle gets few emails. */
export const maxHops = 10;

/** Maximum steps in a row without a pause; a larger graph may run all its steps in a row. */
const maxUnpausedVisits = 100;

/** What a pause resets: `loop`, the count of steps; `chain`, also the hops. */
export type Pause = 'loop' | 'chain';

export function pauseOf(ms: number | null): Pause | undefined {
  return ms !== null && ms >= minPauseMs ? 'chain' : undefined;
}

export function pauseUntil(event: { hops: number }, ms: number): Pause | undefined {
  if (event.hops === 0) return 'chain';
  return ms >= minPauseMs ? 'loop' : undefined;
}

export interface Progress {
  visit: number;
  pausedVisit: number | null;
  hops: number;
  /** Its workflow never starts again for the contact, so it is part of no cycle. */
  onlyOnce: boolean;
}

export type Endless = { kind: 'chain' | 'loop'; message: string };

export function findEndless(
  { visit, pausedVisit, hops, onlyOnce }: Progress,
  steps: number,
): Endless | undefined {
  if (visit === 0 && hops >= maxHops && !onlyOnce) {
    return {
      kind: 'chain',
      message: `Not run: it follows ${maxHops} executions that started one another without a pause of a minute`,
    };
  }
  if (visit - (pausedVisit ?? visit) < Math.max(maxUnpausedVisits, steps)) return undefined;
  return {
    kind: 'loop',
    message: `Stopped: ${visit - (pausedVisit ?? visit)} steps without a pause of a minute, an endless loop`,
  };
}
