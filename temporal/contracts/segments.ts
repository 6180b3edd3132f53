/** A dynamic segment whose entries and exits are followed. */
export interface TrackedSegment {
  projectId: string;
  segmentId: string;
}

export interface SegmentChanges {
  added: number;
  removed: number;
  /** Members now. */
  total: number;
}

export interface SegmentActivities {
  /** The next tracked segments of all projects in the order of their ids; empty at the end. */
  listTrackedSegments(input: { after: string | null }): Promise<TrackedSegment[]>;
  /**
   * Brings the members of a segment up to date, batch by batch, and emits the events of each change. A try that
   * follows a failure goes on where the last heartbeat was. Null: the segment is gone or not tracked any more.
   */
  computeSegment(input: TrackedSegment): Promise<SegmentChanges | null>;
  /** Counts the members of the segments whose count is the oldest, and older than `before` (ISO). */
  countSegments(input: { before: string }): Promise<SegmentCounts>;
}

export interface SegmentCounts {
  counted: number;
  /** Keep their figure until the next round. */
  failed: number;
  /** Whether others are left. */
  hasMore: boolean;
}

/** Where a round over all tracked segments stands; the zero of it is a new round. */
export interface SegmentComputationInput {
  /** Id of the last segment that was looked at. */
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

/** Input of a round of counts; a round that goes on in a new run keeps its beginning. */
export interface SegmentCountInput {
  /** ISO; null in the first run. */
  startedAt: string | null;
  counted: number;
  failed: number;
}

export const newSegmentCount: SegmentCountInput = { startedAt: null, counted: 0, failed: 0 };

export const segmentComputationWorkflow = 'segmentComputation';
export const segmentCountWorkflow = 'segmentCount';
