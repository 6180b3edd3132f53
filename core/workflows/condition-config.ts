import type { WorkflowCondition } from '../conditions/condition.ts';
import { parseWorkflowCondition } from '../conditions/parse-condition.ts';
import type { FieldIssue } from '../errors.ts';
import { accept, type ConfigResult, lacks } from './config-result.ts';

const maxConditionLength = 128 * 1024;
const filterKeys = ['field', 'operator', 'value', 'unit', 'within'];
const filterPath = 'groups.0.filters.0';

/**
 * Parses the config of CONDITION: a condition tree, or a single filter. A tree without groups, filters or
 * parts of a filter is incomplete, not invalid.
 */
export function parseConditionConfig(
  raw: Record<string, unknown>,
): ConfigResult<{ condition: WorkflowCondition }> {
  const isTree = raw.logic !== undefined || raw.groups !== undefined;
  const config = pick(raw, isTree ? ['logic', 'groups'] : filterKeys);
  if (Object.keys(config).length === 0) {
    return { ok: true, config, missing: [lacks('groups', 'A condition is required')] };
  }
  const tree = isTree ? config : { logic: 'AND', groups: [{ filters: [config] }] };
  const parsed = parseWorkflowCondition(tree);
  if (JSON.stringify(config).length > maxConditionLength) {
    const issue = { field: 'config', message: 'At most 128 KB of JSON are accepted', code: 'too_big' };
    return { ok: false, issues: [issue] };
  }
  if (parsed.ok) return accept(config, { condition: parsed.condition });
  const inRequest = (issue: FieldIssue): FieldIssue => {
    const field = isTree ? issue.field : issue.field.slice(filterPath.length + 1);
    return { ...issue, field: field === '' ? 'config' : `config.${field}` };
  };
  const wrong = parsed.issues.filter((issue) => !isMissing(tree, issue));
  if (wrong.length > 0) return { ok: false, issues: wrong.map(inRequest) };
  const missing = parsed.issues.map((issue) => ({ ...inRequest(issue), code: 'missing' }));
  return { ok: true, config, missing };
}

function pick(raw: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => raw[key] !== undefined).map((key) => [key, raw[key]]));
}

function isMissing(tree: unknown, { field, code }: FieldIssue): boolean {
  const value = field.split('.').reduce<unknown>((inner, key) => {
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined;
  }, tree);
  return value === undefined || value === null || (code === 'too_small' && typeof value === 'object');
}
