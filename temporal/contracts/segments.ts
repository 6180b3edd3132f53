export interface TrackedSegment {
  projectId: string;
  segmentId: string;
}

export interface SegmentComputed {
  added: number;
  removed: number;
  total: number;
  /**
   * Whether it has to be computed in full again: it was changed meanwhile, or an earlier transaction is still writing.
   */
  isStale?: boolean;
  /** Its turn is over; it goes on in the next one. Its changes are counted in the last. */
  isUnfinished?: boolean;
}

export interface SegmentActivities {
  /**
   * Some of the segments that have to be computed in full: new, changed, or failed in a round of changes. The projects
   * take turns.
   *
   * @param input.except ids left to a later round; without it, all segments are listed in id order, in pages that
   * follow `after`
   */
  listTrackedSegments(input: { after: string | null; except?: string[] }): Promise<TrackedSegment[]>;
  /**
   * Updates the members of a segment among all contacts, in batches, and emits an event for each change, for a turn of half
   * a minute. A retry continues from the last heartbeat. Null when the segment is gone or no longer tracked.
   */
  computeSegment(input: TrackedSegment): Promise<SegmentComputed | null>;
  countSegments(input: { before: string }): Promise<SegmentCounts>;
  /** A page of projects whose tracked segments have changes to evaluate, longest-waiting first. */
  listSegmentTurns(): Promise<string[]>;
  /** Evaluates the contacts touched in a project since its last turn, up to a budget. */
  evaluateSegmentChanges(input: { projectId: string }): Promise<ProjectRound>;
}

export interface ProjectRound {
  changes: number;
  added: number;
  removed: number;
  /** Segments that could not be evaluated; `segmentComputation` computes them in full. */
  failed: number;
}

export const newSegmentRounds = { turns: 0, changes: 0, added: 0, removed: 0, failed: 0 };
export type SegmentRoundsFigures = typeof newSegmentRounds;

export interface SegmentCounts {
  counted: number;
  failed: number;
  hasMore: boolean;
}

export interface SegmentComputationInput {
  after: string | null;
  segments: number;
  failed: number;
  added: number;
  removed: number;
}

export const newSegmentComputation: SegmentComputationInput = {
  after: null,
  segments: 0,
  failed: 0,
  added: 0,
  removed: 0,
};

export interface SegmentCountInput {
  /** ISO 8601; null in the first run, kept across continue-as-new. */
  startedAt: string | null;
  counted: number;
  failed: number;
}

export const newSegmentCount: SegmentCountInput = { startedAt: null, counted: 0, failed: 0 };

export const segmentComputationWorkflow = 'segmentComputation';
export const segmentRoundsWorkflow = 'segmentRounds';
export const segmentCountWorkflow = 'segmentCount';
