import type { Comparison } from '../../core/conditions/condition.ts';

export const comparisonSql: Readonly<Record<Comparison, string>> = {
  greaterThan: '>',
  lessThan: '<',
  greaterThanOrEqual: '>=',
  lessThanOrEqual: '<=',
};
