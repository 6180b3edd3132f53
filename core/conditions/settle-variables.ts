import type { Condition, Filter, Group, WorkflowCondition, WorkflowPredicate } from './condition.ts';
import { matchesVariable, type WorkflowVariables } from './match-value.ts';

/**
 * Evaluates the variables of a workflow's condition; the remaining condition depends on the contact alone. A
 * boolean when nothing remains.
 */
export function settleVariables(
  { logic, groups }: WorkflowCondition,
  variables: WorkflowVariables,
  now: Date,
): Condition | boolean {
  const open: Group[] = [];
  for (const group of groups) {
    const settled = settleGroup(group, variables, now);
    if (typeof settled !== 'boolean') open.push(settled);
    else if (settled === (logic === 'OR')) return settled;
  }
  return open.length === 0 ? logic === 'AND' : { logic, groups: open };
}

function settleGroup(
  { filters, conditions }: Group<WorkflowPredicate>,
  variables: WorkflowVariables,
  now: Date,
): Group | boolean {
  const open: Filter[] = [];
  for (const { predicate, negated } of filters) {
    if (predicate.subject !== 'variable') open.push({ predicate, negated });
    else if (matchesVariable(predicate, variables, now) === negated) return false;
  }
  const nested = conditions === undefined ? true : settleVariables(conditions, variables, now);
  if (nested === false) return false;
  if (nested !== true) return { filters: open, conditions: nested };
  return open.length === 0 ? true : { filters: open };
}
