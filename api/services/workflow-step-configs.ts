import { type FieldIssue, notFound, validationFailed } from '../../core/errors.ts';
import { findEventNameFormIssue } from '../../core/reserved-events.ts';
import { placedFilters } from '../../core/segments/segment-filters.ts';
import { conditionOf } from '../../core/workflows/references.ts';
import { parseStepConfig, type StepType, templateIdOf } from '../../core/workflows/step-config.ts';
import type { Em } from '../../db/orm.ts';
import { findTemplate } from '../../db/repositories/templates/templates.ts';
import { checkReferences } from './segment-conditions.ts';

export interface ReadStepConfig {
  type: StepType;
  config: Record<string, unknown>;
}

/** Checks the shape of a config. @throws DomainError `VALIDATION_ERROR` */
export function readStepConfig(type: StepType, raw: unknown): ReadStepConfig {
  const parsed = parseStepConfig(type, raw);
  if (!parsed.ok) throw validationFailed(parsed.issues);
  return { type, config: parsed.config };
}

/** The event that the config of a TRIGGER step names. @throws DomainError `VALIDATION_ERROR` */
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
 * Lets a config through whose template and segments are the project's; they stay for as long as the transaction lasts.
 * @throws DomainError `NOT_FOUND` for a template, `BAD_REQUEST` for a segment that is not there
 */
export async function holdReferences(
  em: Em,
  projectId: string,
  workflowId: string,
  step: ReadStepConfig,
): Promise<void> {
  const templateId = templateIdOf(step.type, step.config);
  if (templateId !== null && (await findTemplate(em, projectId, templateId, 'keep')) === undefined) {
    throw notFound('Template');
  }
  const condition = conditionOf(step);
  if (condition === undefined) return;
  const filters = placedFilters(condition, 'config');
  const references = filters.flatMap(({ path, filter: { predicate } }) =>
    predicate.subject === 'segment' ? [{ path: `${path}.field`, segmentId: predicate.id }] : [],
  );
  if (references.length === 0) return;
  await checkReferences(em, projectId, workflowId, {
    condition: step.config,
    filterCount: filters.length,
    refersTo: references.map(({ segmentId }) => segmentId),
    path: 'config',
    references,
  });
}
