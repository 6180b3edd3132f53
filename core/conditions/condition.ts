import type { DateText } from './date-text.ts';

/** A value that a filter compares with; a text that is a date or a date-time is no string. */
export type Operand =
  | { type: 'string'; value: string }
  | { type: 'number'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'date'; value: DateText };

export type Comparison = 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual';

/** Whether there is an instant, and its age: `within` is at or after now − ms, `olderThan` before. */
export type AgeTest = { is: 'present' } | { is: 'within'; ms: number } | { is: 'olderThan'; ms: number };

/** `text` is in the form of `foldCase`. */
export type ContainingTest = { is: 'containing'; text: string };

export type EmailTest = { is: 'equal'; value: string } | ContainingTest;

export type InstantTest =
  | { is: 'equal'; value: DateText }
  | { is: 'compared'; by: Comparison; value: DateText }
  | AgeTest;

export type DataTest =
  | { is: 'equal'; value: Operand }
  | { is: 'compared'; by: Comparison; value: Exclude<Operand, { type: 'boolean' }> }
  | ContainingTest
  | AgeTest;

/** `count` is over the last `withinMs`, or over all time. */
export type EventTest = AgeTest | { is: 'counted'; atLeast: number; withinMs?: number };

export type InstantField = 'createdAt' | 'updatedAt' | 'snoozedUntil';

/** What a filter asks of a contact, in positive form. */
export type Predicate =
  | { subject: 'email'; test: EmailTest }
  | { subject: 'subscribed'; value: boolean }
  | { subject: 'instant'; field: InstantField; test: InstantTest }
  /** `key` is looked for first, literally; then `path`, through objects only. */
  | { subject: 'data'; key: string; path: string[]; test: DataTest }
  | { subject: 'event'; name: string; test: EventTest }
  | { subject: 'segment'; id: string };

/** What a condition of a workflow can ask beside that: a value of the execution's context, or of its event's data. */
export type WorkflowPredicate =
  | Predicate
  | { subject: 'variable'; of: 'context' | 'event'; key: string; path: string[]; test: DataTest };

/**
 * A filter in normal form: every operator is a predicate or its negation, so a missing value, for which no
 * predicate holds, matches exactly the negated operators.
 */
export interface Filter<P = Predicate> {
  predicate: P;
  negated: boolean;
}

/** Everything in a group is ANDed. */
export interface Group<P = Predicate> {
  filters: Filter<P>[];
  conditions?: Condition<P>;
}

/** A condition tree that has been checked (API contract, "Condition tree"); `logic` stands between the groups. */
export interface Condition<P = Predicate> {
  logic: 'AND' | 'OR';
  groups: Group<P>[];
}

export type WorkflowCondition = Condition<WorkflowPredicate>;
