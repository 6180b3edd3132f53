import { LockMode } from '@mikro-orm/core';
import { type FieldIssue, orNotFound, validationFailed } from '../../core/errors.ts';
import { isPlainObject } from '../../core/json-value.ts';
import { findEventNameFormIssue } from '../../core/reserved-events.ts';
import { conditionOf } from '../../core/workflows/references.ts';
import { parseStepConfig, type StepType, templateIdOf } from '../../core/workflows/step-config.ts';
import { Template } from '../../db/entities/template.ts';
import type { Em } from '../../db/orm.ts';
import { checkReferences, referencesAt } from './segment-conditions.ts';

export interface ReadStepConfig {
  type: StepType;
  config: Record<string, unknown>;
}

export function readStepConfig(type: StepType, raw: unknown): ReadStepConfig {
  const parsed = parseStepConfig(type, raw);
  if (!parsed.ok) throw validationFailed(parsed.issues);
  return { type, config: parsed.config };
}

export function withTemplate(type: StepType, raw: unknown, templateId: string | null | undefined): unknown {
  if (templateId === undefined || type !== 'SEND_EMAIL') return raw;
  return isPlainObject(raw) ? { ...raw, templateId } : raw;
}

export function withOtherTemplate(
  { type, config }: ReadStepConfig,
  templateId: string | null | undefined,
): ReadStepConfig | undefined {
  if (type !== 'SEND_EMAIL' || templateId === undefined) return undefined;
  return readStepConfig(type, withTemplate(type, config, templateId));
}

export function readTriggerEvent(raw: unknown): string | undefined {
  if (raw === undefined) return undefined;
  const sent = typeof raw === 'object' && raw !== null && 'eventName' in raw ? raw.eventName : undefined;
  const issue: FieldIssue | undefined =
    typeof sent === 'string'
      ? findEventNameFormIssue(sent, 'config.eventName')
      : { field: 'config.eventName', message: 'Expected the name of an event', code: 'invalid_type' };
  if (issue !== undefined) throw validationFailed([issue]);
  return typeof sent === 'string' ? sent : undefined;
}

/**
 * Requires that a config's template and segments belong to the project, and locks them until the transaction ends.
 * @throws DomainError `NOT_FOUND` for a missing template, `BAD_REQUEST` for a missing segment
 */
export async function lockReferences(
  em: Em,
  projectId: string,
  workflowId: string,
  step: ReadStepConfig,
): Promise<void> {
  const templateId = templateIdOf(step.type, step.config);
  if (templateId !== null) {
    const lockMode = LockMode.PESSIMISTIC_READ;
    orNotFound(await em.findOne(Template, { id: templateId }, { lockMode }), 'Template');
  }
  const condition = conditionOf(step);
  if (condition === undefined) return;
  const { references, ...read } = referencesAt(condition, 'config');
  if (references.length === 0) return;
  // A config without groups is a single filter.
  const isFilter = step.config.groups === undefined;
  const inRequest = references.map((one) => (isFilter ? { ...one, path: 'config.field' } : one));
  await checkReferences(em, projectId, workflowId, {
    condition: step.config,
    ...read,
    references: inRequest,
  });
}
