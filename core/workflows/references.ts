import type { WorkflowCondition } from '../conditions/condition.ts';
import { conditionReferences, readsDataField, readsEvent } from '../conditions/references.ts';
import type { ContactFieldName } from '../contact-data/contact-field.ts';
import { parseStepConfig, type StepType } from './step-config.ts';

/** A step as far as it matters for what it refers to. */
export interface ReferringConfig {
  type: StepType;
  config: Record<string, unknown>;
}

/** The condition of a CONDITION step that is complete. */
export function conditionOf({ type, config }: ReferringConfig): WorkflowCondition | undefined {
  if (type !== 'CONDITION') return undefined;
  const parsed = parseStepConfig(type, config);
  return parsed.ok ? parsed.ready?.condition : undefined;
}

/** Whether a step reads a field of contacts, or writes it. */
export function refersToField(step: ReferringConfig, field: ContactFieldName): boolean {
  const condition = conditionOf(step);
  if (condition !== undefined) {
    return field.kind === 'custom'
      ? readsDataField(condition, field.key)
      : conditionReferences(condition).builtIn.has(field.name);
  }
  if (step.type !== 'UPDATE_CONTACT') return false;
  const { data, subscribed } = step.config;
  if (field.kind === 'standard') return field.name === 'subscribed' && typeof subscribed === 'boolean';
  const keys = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  return keys.some((key) => key === field.key || key.startsWith(`${field.key}.`));
}

/** Whether a step waits for an event, or asks for its history. */
export function refersToEvent(step: ReferringConfig, name: string): boolean {
  if (step.type === 'WAIT_FOR_EVENT') return step.config.eventName === name;
  const condition = conditionOf(step);
  return condition !== undefined && readsEvent(condition, name);
}

/** The segments that a step asks about. */
export function segmentsOf(step: ReferringConfig): ReadonlySet<string> {
  const condition = conditionOf(step);
  return condition === undefined ? new Set() : conditionReferences(condition).segments;
}
