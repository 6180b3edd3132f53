import type { Condition } from '../../../core/conditions/condition.ts';
import { bindInto } from '../bind.ts';
import { type CompileOptions, conditionSql } from '../compile.ts';

export function compileCondition(
  condition: Condition,
  options: CompileOptions,
  given: readonly unknown[],
): { sql: string; parameters: unknown[] } {
  const parameters = [...given];
  return { sql: conditionSql(condition, options, bindInto(parameters)), parameters };
}
