import type { Condition } from '../../../core/conditions/condition.ts';
import { bindInto } from '../../sql.ts';
import { type CompileOptions, conditionTests } from '../compile.ts';
import { readDataOnce } from '../read-data-once.ts';

export function compileCondition(
  condition: Condition,
  options: CompileOptions,
  given: readonly unknown[],
): { sql: string; parameters: unknown[] } {
  const parameters = [...given];
  return { sql: readDataOnce(conditionTests(condition, options, bindInto(parameters))), parameters };
}
