/**
 * What keeps workflows from going on without an end by themselves, in a graph and over several workflows.
 *
 * An event that a person or a client causes has 0 hops. What an execution causes (a changed subscription, an email and
 * what becomes of it, a segment that is entered or left) has one more than the execution, and an execution those of the
 * event that started it. A pause that the author of a workflow has asked for begins a new chain, as does an event of 0
 * hops that ends a wait. How long an email takes to be opened, or a segment to be computed, is no pause.
 */

/** A loop may go on for as long as it likes when each round takes at least so long. */
export const minPauseMs = 60_000;

/** Executions that may follow from one another: more than people connect on purpose, and few enough that a contact who is in a ring gets a handful of emails. */
export const maxHops = 10;

/** Steps without a pause; a graph with more of them than that may have all of them in a row. */
const maxHurriedVisits = 100;

/** After a step: `loop`, a minute has passed; `chain`, what follows does not follow from what was before either. */
export type Pause = 'loop' | 'chain';

/** The pause that a step was which was to last `ms`, and did. */
export function pauseOf(ms: number | null): Pause | undefined {
  return ms !== null && ms >= minPauseMs ? 'chain' : undefined;
}

/** The pause that a wait was which an event has ended after `ms`. */
export function pauseUntil(event: { hops: number }, ms: number): Pause | undefined {
  if (event.hops === 0) return 'chain';
  return ms >= minPauseMs ? 'loop' : undefined;
}

/** How far an execution has come. */
export interface Progress {
  visit: number;
  pausedVisit: number | null;
  hops: number;
  /** Such a one is in no ring: its workflow never starts again for the contact. */
  onlyOnce: boolean;
}

export type Endless = { kind: 'chain' | 'loop'; message: string };

/** Why an execution must not enter another step: it would go on without an end, most likely. */
export function findEndless(
  { visit, pausedVisit, hops, onlyOnce }: Progress,
  steps: number,
): Endless | undefined {
  if (visit === 0 && hops >= maxHops && !onlyOnce) {
    return {
      kind: 'chain',
      message: `Not run: it follows from ${maxHops} executions that started one another without a pause of a minute`,
    };
  }
  if (visit - (pausedVisit ?? visit) < Math.max(maxHurriedVisits, steps)) return undefined;
  return {
    kind: 'loop',
    message: `Stopped: ${visit - (pausedVisit ?? visit)} steps without a pause of a minute, so its loop has no end`,
  };
}
