import type { Endless } from '../../core/workflows/endless.ts';

/** What a step leaves behind for the rest of the process. */
export interface StepTraces {
  /** Rows in the journal. */
  journal: boolean;
  /** When the first of its commands for Temporal is due; undefined when it left none. */
  commandsInMs: number | undefined;
  /** That it has ended an execution which would have gone on without an end. */
  endless?: Endless['kind'];
}
