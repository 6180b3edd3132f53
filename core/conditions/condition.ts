import type { DateText } from './date-text.ts';

/** A value that a filter compares with; a text that is a date or a date-time has type `date`. */
export type Operand =
  | { type: 'string'; value: string }
  | { type: 'number'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'date'; value: DateText };

/** A value of a list; dates are none, because a date equals other notations of the same instant. */
export type ListedValue = string | number | boolean;

export type Comparison = 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual';

/** `within` is at or after now − ms, `olderThan` before. */
export type AgeTest = { is: 'present' } | { is: 'within'; ms: number } | { is: 'olderThan'; ms: number };

export type ContainingTest = { is: 'containing'; text: string };

export type EmailTest = { is: 'equal'; value: string } | ContainingTest;

export type InstantTest =
  | { is: 'equal'; value: DateText }
  | { is: 'compared'; by: Comparison; value: DateText }
  | AgeTest;

export type DataTest =
  | { is: 'equal'; value: Operand }
  | { is: 'oneOf'; values: ListedValue[] }
  | { is: 'compared'; by: Comparison; value: Exclude<Operand, { type: 'boolean' }> }
  | ContainingTest
  | AgeTest;

export type EventTest = AgeTest | { is: 'counted'; atLeast: number; withinMs?: number };

export const instantFields = ['createdAt', 'updatedAt', 'snoozedUntil'] as const;
export type InstantField = (typeof instantFields)[number];

/** What the counters of a campaign count; a click is also an open. */
export type CampaignActivity = 'sent' | 'opened' | 'clicked';

/** Contacts are divided into 0 to 99 by the last 16 bits of their ids, which are random. */
export const randomGroups = 100;

export type Predicate =
  | { subject: 'email'; test: EmailTest }
  | { subject: 'subscribed'; value: boolean }
  | { subject: 'randomGroup'; below: number }
  | { subject: 'instant'; field: InstantField; test: InstantTest }
  /** `key` is looked up literally first; then `path`, through objects only. */
  | { subject: 'data'; key: string; path: string[]; test: DataTest }
  | { subject: 'event'; name: string; test: EventTest }
  | { subject: 'segment'; id: string }
  | { subject: 'campaign'; id: string; activity: CampaignActivity };

export type WorkflowPredicate =
  | Predicate
  | { subject: 'variable'; of: 'context' | 'event'; key: string; path: string[]; test: DataTest };

/**
 * A filter in normal form: every operator is a positive predicate or its negation. No predicate holds for a missing
 * value, so a missing value matches exactly the negated operators.
 */
export interface Filter<P = Predicate> {
  predicate: P;
  negated: boolean;
}

export interface Group<P = Predicate> {
  filters: Filter<P>[];
  conditions?: Condition<P>;
}

export interface Condition<P = Predicate> {
  logic: 'AND' | 'OR';
  groups: Group<P>[];
}

export type WorkflowCondition = Condition<WorkflowPredicate>;
