import type { JsonObject } from '../../json-value.ts';
import {
  type CampaignActivity,
  type Condition,
  type EventTest,
  type Predicate,
  randomGroups,
  type WorkflowCondition,
} from '../condition.ts';
import {
  matchesData,
  matchesInstant,
  matchesVariable,
  valueAt,
  type WorkflowVariables,
} from '../match-value.ts';
import { foldCase } from '../text-order.ts';

export interface EventHistory {
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** Every time since the start of the widest counting window on this event (`countingWindows`), in any order. */
  times: readonly Date[];
}

export interface ConditionContact {
  id: string;
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  snoozedUntil: Date | null;
  data: JsonObject;
  events: ReadonlyMap<string, EventHistory>;
  segments: ReadonlySet<string>;
  /** What became of the campaigns that were sent to the contact, by their ids. */
  campaigns: ReadonlyMap<string, readonly CampaignActivity[]>;
}

/** Reference implementation in memory: must agree with the compiled SQL. */
export function evaluateCondition(condition: Condition, contact: ConditionContact, now: Date): boolean {
  return evaluateTree(condition, (predicate) => holds(predicate, contact, now));
}

export function evaluateWorkflowCondition(
  condition: WorkflowCondition,
  contact: ConditionContact,
  variables: WorkflowVariables,
  now: Date,
): boolean {
  return evaluateTree(condition, (predicate) =>
    predicate.subject === 'variable'
      ? matchesVariable(predicate, variables, now)
      : holds(predicate, contact, now),
  );
}

function evaluateTree<P>({ logic, groups }: Condition<P>, holdsFor: (predicate: P) => boolean): boolean {
  const meets = ({ filters, conditions }: Condition<P>['groups'][number]) =>
    filters.every(({ predicate, negated }) => holdsFor(predicate) !== negated) &&
    (conditions === undefined || evaluateTree(conditions, holdsFor));
  return logic === 'AND' ? groups.every(meets) : groups.some(meets);
}

/** The widest counting window of each event in milliseconds: how far back `times` has to reach. */
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
    case 'randomGroup':
      return Number.parseInt(contact.id.slice(-4), 16) % randomGroups < predicate.below;
    case 'instant': {
      const instant = contact[predicate.field]?.toISOString();
      return instant !== undefined && matchesInstant(predicate.test, { instant, isDay: false }, now);
    }
    case 'data':
      return matchesData(predicate.test, valueAt(contact.data, predicate.key, predicate.path), now);
    case 'event':
      return matchesEvent(predicate.test, contact.events.get(predicate.name), now);
    case 'segment':
      return contact.segments.has(predicate.id);
    case 'campaign':
      return contact.campaigns.get(predicate.id)?.includes(predicate.activity) ?? false;
  }
}

function matchesEvent(test: EventTest, history: EventHistory | undefined, now: Date): boolean {
  if (test.is === 'counted') {
    if (test.withinMs === undefined) return (history?.count ?? 0) >= test.atLeast;
    const from = now.getTime() - test.withinMs;
    return (history?.times ?? []).filter((time) => time.getTime() >= from).length >= test.atLeast;
  }
  return (
    history !== undefined &&
    matchesInstant(test, { instant: history.lastAt.toISOString(), isDay: false }, now)
  );
}
