import type { WorkflowCondition } from '../conditions/condition.ts';
import type { ContactFieldName } from '../conditions/contact-field.ts';
import { conditionReferences, readsEvent, readsField } from '../conditions/references.ts';
import { parseStepConfig, type StepType } from './step-config.ts';

export interface ReferringConfig {
  type: StepType;
  config: Record<string, unknown>;
}

export function conditionOf({ type, config }: ReferringConfig): WorkflowCondition | undefined {
  if (type !== 'CONDITION') return undefined;
  const parsed = parseStepConfig(type, config);
  return parsed.ok ? parsed.ready?.condition : undefined;
}

export function refersToField(step: ReferringConfig, field: ContactFieldName): boolean {
  const condition = conditionOf(step);
  if (condition !== undefined) return readsField(condition, field);
  if (step.type !== 'UPDATE_CONTACT') return false;
  const { data, subscribed } = step.config;
  if (field.kind === 'standard') return field.name === 'subscribed' && typeof subscribed === 'boolean';
  const keys = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  return keys.some((key) => key === field.key || key.startsWith(`${field.key}.`));
}

export function refersToEvent(step: ReferringConfig, name: string): boolean {
  if (step.type === 'WAIT_FOR_EVENT') return step.config.eventName === name;
  const condition = conditionOf(step);
  return condition !== undefined && readsEvent(condition, name);
}

export function refersToCampaign(step: ReferringConfig, id: string): boolean {
  const condition = conditionOf(step);
  return condition !== undefined && conditionReferences(condition).campaigns.has(id);
}

export function segmentsOf(step: ReferringConfig): ReadonlySet<string> {
  const condition = conditionOf(step);
  return condition === undefined ? new Set() : conditionReferences(condition).segments;
}
