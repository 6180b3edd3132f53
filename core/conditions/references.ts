import type { WorkflowCondition, WorkflowPredicate } from './condition.ts';

/** What a condition reads, each thing once. */
export interface ConditionReferences {
  /** What stands behind `data.`: a key, or a path below one (`address.city`). */
  data: ReadonlySet<string>;
  /** `email`, `subscribed`, `createdAt`, `updatedAt`, `snoozedUntil`. */
  builtIn: ReadonlySet<string>;
  /** Names as in the journal: `x` of `event.x`, `email.open` of `email.opened`. */
  events: ReadonlySet<string>;
  /** Ids in lower case, of this condition alone: not of the segments that those refer to. */
  segments: ReadonlySet<string>;
}

/**
 * Everything that a condition reads of the project, however deep: for usage lists, refusals to delete, and cycles.
 * Variables of a workflow are its own.
 */
export function conditionReferences(condition: WorkflowCondition): ConditionReferences {
  const predicates = [...predicatesOf(condition)];
  const namesOf = (nameOf: (predicate: WorkflowPredicate) => string | undefined) =>
    new Set(predicates.map(nameOf).filter((name) => name !== undefined));
  return {
    data: namesOf((one) => (one.subject === 'data' ? one.key : undefined)),
    builtIn: namesOf((one) => {
      if (one.subject === 'instant') return one.field;
      return one.subject === 'email' || one.subject === 'subscribed' ? one.subject : undefined;
    }),
    events: namesOf((one) => (one.subject === 'event' ? one.name : undefined)),
    segments: namesOf((one) => (one.subject === 'segment' ? one.id : undefined)),
  };
}

/** Whether a condition reads a custom field: `data.<field>` as it is written, or a path below it. */
export function readsDataField(condition: WorkflowCondition, field: string): boolean {
  const { data } = conditionReferences(condition);
  return [...data].some((name) => name === field || name.startsWith(`${field}.`));
}

/** @param name as in the journal, such as `email.open`. */
export function readsEvent(condition: WorkflowCondition, name: string): boolean {
  return conditionReferences(condition).events.has(name);
}

/** Whether a condition itself names a segment. */
export function readsSegment(condition: WorkflowCondition, segmentId: string): boolean {
  return conditionReferences(condition).segments.has(segmentId.toLowerCase());
}

function* predicatesOf({ groups }: WorkflowCondition): Generator<WorkflowPredicate> {
  for (const { filters, conditions } of groups) {
    for (const { predicate } of filters) yield predicate;
    if (conditions) yield* predicatesOf(conditions);
  }
}
