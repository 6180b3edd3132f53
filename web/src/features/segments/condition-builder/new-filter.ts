import type { Filter } from './condition.ts';
import { shapeOf, takesText, valueTypeOf } from './operators.ts';

/** A filter with the default operand, which is 7 days, or once; without an operand if the user has to enter it. */
export function newFilter(field: string, operator: string): Filter {
  switch (shapeOf(operator)) {
    case 'age':
      return { field, operator, value: 7, unit: 'days' };
    case 'count':
      return { field, operator, value: 1 };
    default:
      return { field, operator };
  }
}

/** Keeps the operand if it means the same with the new operator; as text if the operator takes only text. */
export function withOperator(filter: Filter, operator: string): Filter {
  const { field, value } = filter;
  const shape = shapeOf(operator);
  if (shape !== shapeOf(filter.operator)) {
    return {
      ...newFilter(field, operator),
      ...(shape === 'value' && typeof value === 'string' && { value }),
    };
  }
  const isText = value !== undefined && takesText(operator);
  return { ...filter, operator, ...(isText && { value: String(value) }) };
}

/** What becomes of the comparisons that are not offered for dates. */
const comparedWithDay: Readonly<Record<string, string>> = {
  greaterThan: 'greaterThanOrEqual',
  lessThanOrEqual: 'lessThan',
};

/** Changes the value, and the comparison if the value becomes a date. */
export function withValue(filter: Filter, value: Filter['value']): Filter {
  const { operator } = filter;
  const changed = { ...filter, value };
  const isDate = (one: Filter) => valueTypeOf(one, undefined) === 'date';
  const becomesDate = isDate(changed) && !isDate(filter);
  return { ...changed, operator: (becomesDate && comparedWithDay[operator]) || operator };
}
