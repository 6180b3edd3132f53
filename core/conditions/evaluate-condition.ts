import type { JsonObject, JsonValue } from '../json-value.ts';
import type {
  Comparison,
  Condition,
  DataTest,
  EventTest,
  InstantTest,
  Operand,
  Predicate,
  WorkflowCondition,
  WorkflowPredicate,
} from './condition.ts';
import { type DateText, instantBefore, isSameDate, parseDateText } from './date-text.ts';
import { compareCodePoints, foldCase } from './text-order.ts';

/** What the statistics know of one event of a contact. */
export interface EventHistory {
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** Every time since the start of the widest counting window on this event (`countingWindows`), in any order. */
  times: readonly Date[];
}

/** What a condition can ask of a contact. */
export interface ConditionContact {
  /** Lower-case, as stored. */
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  snoozedUntil: Date | null;
  data: JsonObject;
  /** By event name; the names of our own events included (`email.open`). */
  events: ReadonlyMap<string, EventHistory>;
  /** Ids of the segments that the contact is a member of. */
  segments: ReadonlySet<string>;
}

/** Whether a contact meets a condition at the instant `now`: the same answer as the compiled SQL gives. */
export function evaluateCondition(condition: Condition, contact: ConditionContact, now: Date): boolean {
  return evaluateTree(condition, (predicate) => holds(predicate, contact, now));
}

/** What a condition of a workflow can ask beside the contact. */
export interface WorkflowVariables {
  context: JsonObject;
  /** Data of the event that has started the execution. */
  event: JsonObject;
}

/** As `evaluateCondition`; variables are read and compared like `data`. */
export function evaluateWorkflowCondition(
  condition: WorkflowCondition,
  contact: ConditionContact,
  variables: WorkflowVariables,
  now: Date,
): boolean {
  return evaluateTree(condition, (predicate) =>
    predicate.subject === 'variable'
      ? holdsForVariable(predicate, variables, now)
      : holds(predicate, contact, now),
  );
}

/** Whether a variable of a workflow passes a test. */
export function holdsForVariable(
  { of, key, path, test }: Extract<WorkflowPredicate, { subject: 'variable' }>,
  variables: WorkflowVariables,
  now: Date,
): boolean {
  return holdsForData(test, valueAt(variables[of], key, path), now);
}

function evaluateTree<P>({ logic, groups }: Condition<P>, holdsFor: (predicate: P) => boolean): boolean {
  const meets = ({ filters, conditions }: Condition<P>['groups'][number]) =>
    filters.every(({ predicate, negated }) => holdsFor(predicate) !== negated) &&
    (conditions === undefined || evaluateTree(conditions, holdsFor));
  return logic === 'AND' ? groups.every(meets) : groups.some(meets);
}

/** Milliseconds of the widest window in which a condition counts each event: how far `times` has to reach. */
export function countingWindows(condition: WorkflowCondition): Map<string, number> {
  const windows = new Map<string, number>();
  const widen = (name: string, ms: number) => windows.set(name, Math.max(ms, windows.get(name) ?? 0));
  for (const { filters, conditions } of condition.groups) {
    for (const { predicate } of filters) {
      if (predicate.subject !== 'event' || predicate.test.is !== 'counted') continue;
      if (predicate.test.withinMs !== undefined) widen(predicate.name, predicate.test.withinMs);
    }
    if (conditions) for (const [name, ms] of countingWindows(conditions)) widen(name, ms);
  }
  return windows;
}

function holds(predicate: Predicate, contact: ConditionContact, now: Date): boolean {
  switch (predicate.subject) {
    case 'email':
      if (predicate.test.is === 'equal') return contact.email === predicate.test.value;
      return foldCase(contact.email).includes(predicate.test.text);
    case 'subscribed':
      return contact.subscribed === predicate.value;
    case 'instant': {
      const instant = contact[predicate.field]?.toISOString();
      return instant !== undefined && holdsForDate(predicate.test, { instant, isDay: false }, now);
    }
    case 'data':
      return holdsForData(predicate.test, valueAt(contact.data, predicate.key, predicate.path), now);
    case 'event':
      return holdsForEvent(predicate.test, contact.events.get(predicate.name), now);
    case 'segment':
      return contact.segments.has(predicate.id);
  }
}

function valueAt(data: JsonObject, key: string, path: readonly string[]): JsonValue | undefined {
  if (Object.hasOwn(data, key)) return data[key];
  let value: JsonValue | undefined = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function holdsForData(test: DataTest, stored: JsonValue | undefined, now: Date): boolean {
  if (stored === undefined || stored === null) return false;
  if (test.is === 'present') return true;
  if (test.is === 'containing') return typeof stored === 'string' && foldCase(stored).includes(test.text);
  const value = operandOf(stored);
  if (value === undefined) return false;
  if (test.is === 'equal') return isEqual(value, test.value);
  if (test.is === 'compared') return isOrdered(test.by, order(value, test.value));
  return value.type === 'date' && holdsForDate(test, value.value, now);
}

/** Undefined for arrays and objects, which only exist. */
function operandOf(stored: Exclude<JsonValue, null>): Operand | undefined {
  if (typeof stored === 'number') return { type: 'number', value: stored };
  if (typeof stored === 'boolean') return { type: 'boolean', value: stored };
  if (typeof stored !== 'string') return undefined;
  const date = parseDateText(stored);
  return date ? { type: 'date', value: date } : { type: 'string', value: stored };
}

function isEqual(one: Operand, other: Operand): boolean {
  if (one.type === 'date') return other.type === 'date' && isSameDate(one.value, other.value);
  return one.type === other.type && one.value === other.value;
}

/** Undefined when the values are of different types. */
function order(one: Operand, other: Operand): number | undefined {
  if (one.type === 'number' && other.type === 'number') return one.value - other.value;
  if (one.type === 'string' && other.type === 'string') return compareCodePoints(one.value, other.value);
  if (one.type === 'date' && other.type === 'date') {
    return compareCodePoints(one.value.instant, other.value.instant);
  }
  return undefined;
}

function isOrdered(by: Comparison, difference: number | undefined): boolean {
  if (difference === undefined) return false;
  switch (by) {
    case 'greaterThan':
      return difference > 0;
    case 'lessThan':
      return difference < 0;
    case 'greaterThanOrEqual':
      return difference >= 0;
    case 'lessThanOrEqual':
      return difference <= 0;
  }
}

function holdsForDate(test: InstantTest, date: DateText, now: Date): boolean {
  switch (test.is) {
    case 'equal':
      return isSameDate(date, test.value);
    case 'compared':
      return isOrdered(test.by, compareCodePoints(date.instant, test.value.instant));
    case 'present':
      return true;
    case 'within':
      return date.instant >= instantBefore(now, test.ms);
    case 'olderThan':
      return date.instant < instantBefore(now, test.ms);
  }
}

function holdsForEvent(test: EventTest, history: EventHistory | undefined, now: Date): boolean {
  if (test.is === 'counted') {
    if (test.withinMs === undefined) return (history?.count ?? 0) >= test.atLeast;
    const from = now.getTime() - test.withinMs;
    return (history?.times ?? []).filter((time) => time.getTime() >= from).length >= test.atLeast;
  }
  return (
    history !== undefined && holdsForDate(test, { instant: history.lastAt.toISOString(), isDay: false }, now)
  );
}
