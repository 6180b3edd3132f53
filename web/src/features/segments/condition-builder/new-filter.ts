import type { Filter } from './condition.ts';
import { shapeOf, takesText, type ValueShape, valueTypeOf } from './operators.ts';

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

/** The operand for an operator of another shape, if it means the same there. */
function operandFor(shape: ValueShape, { operator, value }: Filter): Pick<Filter, 'value'> {
  if (Array.isArray(value)) return shape === 'value' && value.length === 1 ? { value: value[0] } : {};
  if (value === undefined || value === '') return {};
  if (shape === 'list') return shapeOf(operator) === 'value' ? { value: [value] } : {};
  return shape === 'value' && typeof value === 'string' ? { value } : {};
}

/** Keeps the operand if it means the same with the new operator; as text if the operator takes only text. */
export function withOperator(filter: Filter, operator: string): Filter {
  const shape = shapeOf(operator);
  const changed: Filter =
    shape === shapeOf(filter.operator)
      ? { ...filter, operator }
      : { ...newFilter(filter.field, operator), ...operandFor(shape, filter) };
  const { value } = changed;
  const isText = value !== undefined && takesText(operator);
  return isText ? { ...changed, value: String(value) } : changed;
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
