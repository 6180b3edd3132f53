import { type FieldIssue, maxReportedIssues } from '../errors.ts';
import { isPlainObject } from '../json-value.ts';
import type { Condition, Filter, Group, Predicate, WorkflowPredicate } from './condition.ts';
import { parseFilter, parseWorkflowFilter } from './parse-filter.ts';
import { type RawFilter, Refused } from './parse-operand.ts';

export const maxConditionDepth = 10;
export const maxConditionFilters = 100;

export type ConditionResult<P = Predicate> =
  | { ok: true; condition: Condition<P> }
  | { ok: false; issues: FieldIssue[] };

/**
 * State shared by the whole tree. Parsing stops when a limit is reached, so a hostile tree costs no more than
 * a large valid one.
 */
interface Walk<P> {
  parseOne: (raw: RawFilter) => Filter<P>;
  issues: FieldIssue[];
  filters: number;
  isOver: boolean;
}

/**
 * Validates an untrusted condition tree. Ignores unknown keys.
 *
 * @param raw any JSON value, however deep or wide
 * @param path location of the tree in the request, such as `condition`; empty for the tree itself
 * @returns the tree in normal form, or at most 100 issues whose `field` is the path of the error, such as
 *   `groups.0.filters.1.operator`
 */
export function parseCondition(raw: unknown, path = ''): ConditionResult {
  return parseTree(raw, path, parseFilter);
}

/** Like `parseCondition`, but also accepts `context.<path>`, and `event.<path>` with the operators of `data`. */
export function parseWorkflowCondition(raw: unknown, path = ''): ConditionResult<WorkflowPredicate> {
  return parseTree(raw, path, parseWorkflowFilter);
}

function parseTree<P>(raw: unknown, path: string, parseOne: Walk<P>['parseOne']): ConditionResult<P> {
  const walk: Walk<P> = { parseOne, issues: [], filters: 0, isOver: false };
  const condition = conditionOf(raw, path, 1, walk);
  return walk.issues.length > 0 ? { ok: false, issues: walk.issues } : { ok: true, condition };
}

function conditionOf<P>(raw: unknown, path: string, depth: number, walk: Walk<P>): Condition<P> {
  const condition: Condition<P> = { logic: 'AND', groups: [] };
  if (depth > maxConditionDepth) {
    report(walk, path, `At most ${maxConditionDepth} levels of conditions are accepted`, 'too_big');
    return condition;
  }
  if (!isPlainObject(raw)) {
    report(walk, path, 'Expected an object', 'invalid_type');
    return condition;
  }
  if (raw.logic === 'AND' || raw.logic === 'OR') condition.logic = raw.logic;
  else report(walk, below(path, 'logic'), 'Expected AND or OR', 'invalid_value');
  const groupsPath = below(path, 'groups');
  if (!Array.isArray(raw.groups)) report(walk, groupsPath, 'Expected an array', 'invalid_type');
  else if (raw.groups.length === 0) report(walk, groupsPath, 'At least one group is required', 'too_small');
  else {
    for (const [index, group] of raw.groups.entries()) {
      if (walk.isOver) break;
      condition.groups.push(groupOf(group, below(groupsPath, index), depth, walk));
    }
  }
  return condition;
}

function groupOf<P>(raw: unknown, path: string, depth: number, walk: Walk<P>): Group<P> {
  const group: Group<P> = { filters: [] };
  if (!isPlainObject(raw)) {
    report(walk, path, 'Expected an object', 'invalid_type');
    return group;
  }
  const filters: unknown = raw.filters ?? [];
  const hasConditions = raw.conditions !== undefined && raw.conditions !== null;
  const filtersPath = below(path, 'filters');
  if (!Array.isArray(filters)) report(walk, filtersPath, 'Expected an array', 'invalid_type');
  else if (filters.length === 0 && !hasConditions) {
    report(walk, path, 'A group requires filters or conditions', 'too_small');
  } else {
    for (const [index, filter] of filters.entries()) {
      if (walk.isOver) break;
      group.filters.push(...filterOf(filter, below(filtersPath, index), walk));
    }
  }
  if (hasConditions && !walk.isOver) {
    group.conditions = conditionOf(raw.conditions, below(path, 'conditions'), depth + 1, walk);
  }
  return group;
}

function filterOf<P>(raw: unknown, path: string, walk: Walk<P>): Filter<P>[] {
  walk.filters += 1;
  if (walk.filters > maxConditionFilters) {
    report(walk, path, `At most ${maxConditionFilters} filters are accepted`, 'too_big');
    walk.isOver = true;
    return [];
  }
  if (!isPlainObject(raw)) {
    report(walk, path, 'Expected an object', 'invalid_type');
    return [];
  }
  try {
    return [walk.parseOne(raw)];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    add(walk, { ...error.issue, field: below(path, error.issue.field) });
    return [];
  }
}

function report(walk: Walk<unknown>, field: string, message: string, code: string): void {
  add(walk, { field, message, code });
}

function add(walk: Walk<unknown>, issue: FieldIssue): void {
  if (walk.issues.length < maxReportedIssues) walk.issues.push(issue);
  if (walk.issues.length >= maxReportedIssues) walk.isOver = true;
}

function below(path: string, key: string | number): string {
  return path === '' ? `${key}` : `${path}.${key}`;
}
