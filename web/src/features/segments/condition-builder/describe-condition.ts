import type { Condition, Filter, FilterValue, Group } from './condition.ts';
import { activityOf, fieldLabel } from './field-label.ts';
import { instants, operatorsOfKind, operatorWords, shapeOf, valueTypeOf } from './operators.ts';

const mostListed = 5;

type NameOf = (id: string) => string | undefined;

/**
 * A condition in words: "Plan is business and opened an email in the last 7 days". Missing input shows as "…".
 *
 * @param nameOf returns the name of a segment or campaign by its id
 */
export function describeCondition(condition: Condition, nameOf: NameOf = () => undefined): string {
  const text = conditionWords(condition, nameOf);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function conditionWords({ logic, groups }: Condition, nameOf: NameOf): string {
  const isOnly = groups.length === 1;
  const parts = groups.map((group) => partsOf(group, isOnly, nameOf)).filter((one) => one.length > 0);
  const isLong = parts.some((one) => one.length > 1);
  const joint = logic === 'AND' ? ' and ' : isLong ? ', or ' : ' or ';
  return parts.map((one) => one.join(' and ')).join(joint) || '…';
}

/** @param isOnly whether nothing is joined to the group, so that its alternatives need no parentheses */
function partsOf({ filters, conditions }: Group, isOnly: boolean, nameOf: NameOf): string[] {
  const parts = filters.map((filter) => filterWords(filter, nameOf));
  if (!conditions) return parts;
  const isAlone = isOnly && parts.length === 0;
  const [first, ...others] = conditions.groups;
  if (first && others.length === 0) return [...parts, ...partsOf(first, isAlone, nameOf)];
  const nested = conditionWords(conditions, nameOf);
  return [...parts, isAlone ? nested : `(${nested})`];
}

function filterWords(filter: Filter, nameOf: NameOf): string {
  const { field, operator } = filter;
  if (field === '') return '…';
  if (operatorsOfKind.event.includes(operator)) return historyWords(filter);
  const label = fieldLabel(field, nameOf);
  if (field.startsWith('segment.')) {
    return operator === 'notMemberOfSegment'
      ? `is not in segment ${quoted(label)}`
      : `is in segment ${quoted(label)}`;
  }
  if (field.startsWith('campaign.')) return `${operatorWords(operator, undefined)} campaign ${quoted(label)}`;
  if (field === 'subscribed') return subscriptionWords(filter);
  const verb = operator === '' ? '…' : operatorWords(operator, valueTypeOf(filter, undefined));
  return [label, verb, valueWords(filter)].filter((part) => part !== '').join(' ');
}

function subscriptionWords({ operator, value }: Filter): string {
  if (value === undefined) return 'Subscription is …';
  return (operator === 'notEquals') === value ? 'is not subscribed' : 'is subscribed';
}

function valueWords(filter: Filter): string {
  const { field, operator, value } = filter;
  if (operator === '' || shapeOf(operator) === 'none') return '';
  if (shapeOf(operator) !== 'age') {
    if (value === undefined || value === '') return '…';
    if (Array.isArray(value)) return listWords(value);
    // Lists show these times in the user's zone, where they may be of another day.
    const isDay = instants.includes(field) && textOf(value).length === 10;
    return isDay ? `${textOf(value)} (UTC)` : quoted(textOf(value));
  }
  // For the API, future dates are also "within" the last days; these two are never in the future.
  const isPast = field === 'createdAt' || field === 'updatedAt' || operator === 'olderThan';
  return isPast ? durationWords(filter) : `${durationWords(filter)} or later`;
}

function historyWords(filter: Filter): string {
  const { past, participle } = activityOf(filter.field);
  const time = durationWords(filter);
  switch (filter.operator) {
    case 'triggered':
      return `has ${participle}`;
    case 'triggeredWithin':
      return `${past} in the last ${time}`;
    case 'triggeredOlderThan':
      return `last ${past} longer ago than ${time}`;
    case 'notTriggered':
      return `has never ${participle}`;
    case 'notTriggeredWithin':
      return `has not ${participle} in the last ${time}`;
    default:
      return `${past} ${countWords(filter)}`;
  }
}

function countWords({ operator, value, within, unit }: Filter): string {
  const often = `${operator === 'countLessThan' ? 'fewer' : 'more'} than ${value ?? '…'} ${value === 1 ? 'time' : 'times'}`;
  return within === undefined ? often : `${often} in the last ${durationWords({ value: within, unit })}`;
}

/** "7 days", "1 hour": the text after "the last" and "longer ago than". */
function durationWords({ value, unit = 'days' }: Pick<Filter, 'value' | 'unit'>): string {
  return value === 1 ? `1 ${unit.slice(0, -1)}` : `${value ?? '…'} ${unit}`;
}

/** "pro, team, or business"; of a long list only the beginning. */
function listWords(values: readonly FilterValue[]): string {
  const shown = values.slice(0, mostListed).map((value) => quoted(textOf(value)));
  const hidden = values.length - shown.length;
  if (hidden > 0) return `${shown.join(', ')} or ${hidden} more`;
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(shown) || '…';
}

const textOf = (value: FilterValue): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);

/** In quotes unless it is one word. */
const quoted = (text: string): string => (/^[\p{L}\p{N}_.:@+-]+$/u.test(text) ? text : `“${text}”`);
