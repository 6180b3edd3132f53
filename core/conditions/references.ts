import type { WorkflowCondition, WorkflowPredicate } from './condition.ts';
import type { ContactFieldName } from './contact-field.ts';

export interface ConditionReferences {
  data: ReadonlySet<string>;
  builtIn: ReadonlySet<string>;
  /** Names as in the journal: `x` of `event.x`, `email.open` of `email.opened`. */
  events: ReadonlySet<string>;
  /** Lower-case ids; direct references only, not those of the referenced segments. */
  segments: ReadonlySet<string>;
  /** Lower-case ids. */
  campaigns: ReadonlySet<string>;
}

/**
 * Everything a condition reads of the project, at any depth: for usage lists, refusing deletions, and finding
 * cycles. Workflow variables are not included.
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
    campaigns: namesOf((one) => (one.subject === 'campaign' ? one.id : undefined)),
  };
}

export function readsField(condition: WorkflowCondition, field: ContactFieldName): boolean {
  const { data, builtIn } = conditionReferences(condition);
  if (field.kind === 'standard') return builtIn.has(field.name);
  return [...data].some((name) => name === field.key || name.startsWith(`${field.key}.`));
}

export function readsEvent(condition: WorkflowCondition, name: string): boolean {
  return conditionReferences(condition).events.has(name);
}

export function* predicatesOf({ groups }: WorkflowCondition): Generator<WorkflowPredicate> {
  for (const { filters, conditions } of groups) {
    for (const { predicate } of filters) yield predicate;
    if (conditions) yield* predicatesOf(conditions);
  }
}
