import type { Schema } from '../../../api/client.ts';
import type { Condition, Filter } from './condition.ts';
import { shapeOf } from './operators.ts';

type FieldIssue = Schema<'FieldIssue'>;

/**
 * The missing input, in the format of the API's `errors`, so that it shows at its filter; empty when the condition is
 * complete enough to send.
 *
 * @param path of the condition in the request, such as `condition`
 */
export function findGaps(condition: Condition, path: string): FieldIssue[] {
  return condition.groups.flatMap(({ filters, conditions }, at) => {
    const group = `${path}.groups.${at}`;
    return [
      ...filters.flatMap((filter, index) => {
        const gap = gapOf(filter);
        return gap ? [{ ...gap, field: `${group}.filters.${index}.${gap.field}`, code: 'too_small' }] : [];
      }),
      ...(conditions ? findGaps(conditions, `${group}.conditions`) : []),
    ];
  });
}

function gapOf({ field, operator, value }: Filter): Omit<FieldIssue, 'code'> | undefined {
  if (field === '') return { field: 'field', message: 'Choose a field' };
  if (operator === '') return { field: 'operator', message: 'Choose how to compare' };
  const isNumeric = shapeOf(operator) === 'age' || shapeOf(operator) === 'count';
  const isMissing = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (shapeOf(operator) === 'none' || !isMissing) return undefined;
  return { field: 'value', message: isNumeric ? 'Enter a number' : 'Enter a value' };
}
