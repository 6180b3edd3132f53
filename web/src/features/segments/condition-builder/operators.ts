import type { Filter } from './condition.ts';

export type FieldKind =
  | 'email'
  | 'subscribed'
  | 'randomGroup'
  | 'instant'
  | 'data'
  | 'event'
  | 'segment'
  | 'campaign';
export type FieldType = 'string' | 'number' | 'boolean' | 'date';

export const typeWords = { string: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date' } as const;
/** Where the condition is used: only a workflow step has the event that started the execution, and its context. */
export type FieldSource = 'contact' | 'workflow';

const equality = ['equals', 'notEquals'];
const listing = ['in', 'notIn'];
const containment = ['contains', 'notContains'];
const order = ['greaterThan', 'greaterThanOrEqual', 'lessThan', 'lessThanOrEqual'];
/**
 * The API compares with the beginning of a day. So the other two comparisons mean what they say of a day only if the field
 * holds no times: a contact added at noon is "after" the day on which it was added.
 */
const dateOrder = ['greaterThanOrEqual', 'lessThan'];
const presence = ['exists', 'notExists'];
const age = ['within', 'olderThan'];

/** The operators to choose from when the type of the field is not known. The API accepts `order` for instants, too. */
export const operatorsOfKind: Readonly<Record<FieldKind, readonly string[]>> = {
  email: [...equality, ...containment],
  subscribed: equality,
  randomGroup: ['lessThan', 'greaterThanOrEqual'],
  instant: [...age, ...dateOrder, ...equality, ...presence],
  data: [...equality, ...listing, ...containment, ...order, ...age, ...presence],
  event: [
    'triggered',
    'triggeredWithin',
    'triggeredOlderThan',
    'notTriggered',
    'notTriggeredWithin',
    'countGreaterThan',
    'countLessThan',
  ],
  segment: ['memberOfSegment', 'notMemberOfSegment'],
  campaign: ['sent', 'notSent', 'opened', 'notOpened', 'clicked', 'notClicked'],
};

/** The operators that make sense for a field of `data` of known type. */
const operatorsOfType: Readonly<Record<FieldType, readonly string[]>> = {
  string: [...equality, ...listing, ...containment, ...presence, ...order],
  number: [...equality, ...listing, ...order, ...presence],
  boolean: [...equality, ...presence],
  date: [...age, ...dateOrder, ...equality, ...presence],
};

export const instants = ['createdAt', 'updatedAt', 'snoozedUntil'];

/**
 * In a workflow, `event.<name>` is both the history of the event and the data of the event that started the execution.
 */
export function kindsOf(field: string, source: FieldSource): FieldKind[] {
  if (field === 'email' || field === 'subscribed' || field === 'randomGroup') return [field];
  if (instants.includes(field)) return ['instant'];
  switch (field.split('.', 1)[0]) {
    case 'data':
      return ['data'];
    case 'context':
      return source === 'workflow' ? ['data'] : [];
    case 'event':
      return source === 'workflow' ? ['event', 'data'] : ['event'];
    case 'email':
      return ['event'];
    case 'segment':
      return ['segment'];
    case 'campaign':
      return ['campaign'];
    default:
      return [];
  }
}

export function operatorsFor(kinds: readonly FieldKind[], type: FieldType | undefined): string[] {
  return kinds.flatMap((kind) =>
    kind === 'data' && type !== undefined ? operatorsOfType[type] : operatorsOfKind[kind],
  );
}

/** The operators to choose from for a filter. If the type of its field is not known, a date as its value tells it. */
export function operatorsOf(filter: Filter, source: FieldSource, type: FieldType | undefined): string[] {
  const { field, operator } = filter;
  const isDateLike = type === undefined && valueTypeOf(filter, type) === 'date';
  const known = operatorsFor(kindsOf(field, source), isDateLike ? 'date' : type);
  return operator === '' || known.includes(operator) ? known : [...known, operator];
}

export type ValueShape = 'none' | 'value' | 'list' | 'age' | 'count';

/** The kind of operand that an operator takes. */
export function shapeOf(operator: string): ValueShape {
  if (listing.includes(operator)) return 'list';
  if (/^count/.test(operator)) return 'count';
  if (/(within|olderThan)$/i.test(operator)) return 'age';
  return /^(not)?(exists|triggered|memberOfSegment|sent|opened|clicked)$/i.test(operator) ? 'none' : 'value';
}

/** Whether the API accepts only text as the operand, for fields of any type. */
export const takesText = (operator: string): boolean => containment.includes(operator);

const inTypes: Readonly<Partial<Record<FieldType, Readonly<Record<string, string>>>>> = {
  number: {
    greaterThan: 'is more than',
    greaterThanOrEqual: 'is at least',
    lessThan: 'is less than',
    lessThanOrEqual: 'is at most',
  },
  date: {
    greaterThan: 'is after',
    greaterThanOrEqual: 'is on or after',
    lessThan: 'is before',
    lessThanOrEqual: 'is on or before',
  },
};

const words: Readonly<Record<string, string>> = {
  equals: 'is',
  notEquals: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  contains: 'contains',
  notContains: 'does not contain',
  greaterThan: 'is above',
  greaterThanOrEqual: 'is at or above',
  lessThan: 'is below',
  lessThanOrEqual: 'is at or below',
  exists: 'has a value',
  notExists: 'has no value',
  within: 'is in the last',
  olderThan: 'is longer ago than',
  triggered: 'has happened',
  triggeredWithin: 'happened in the last',
  triggeredOlderThan: 'last happened longer ago than',
  notTriggered: 'has never happened',
  notTriggeredWithin: 'has not happened in the last',
  countGreaterThan: 'happened more often than',
  countLessThan: 'happened less often than',
  memberOfSegment: 'has them as a member',
  notMemberOfSegment: 'does not have them as a member',
  sent: 'was sent',
  notSent: 'was not sent',
  opened: 'opened',
  notOpened: 'did not open',
  clicked: 'clicked',
  notClicked: 'did not click',
};

export const operatorWords = (operator: string, type: FieldType | undefined): string =>
  (type && inTypes[type]?.[operator]) ?? words[operator] ?? operator;

/** The type in which the value is edited: that of the current value, else that of the field. */
export function valueTypeOf(
  { field, value }: Pick<Filter, 'field' | 'value'>,
  type: FieldType | undefined,
): FieldType {
  if (instants.includes(field)) return 'date';
  if (field === 'subscribed') return 'boolean';
  if (field === 'randomGroup') return 'number';
  if (field === 'email') return 'string';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean';
  if (value === undefined || Array.isArray(value)) return type ?? 'string';
  return type === 'date' || isDate(value) ? 'date' : 'string';
}

/** The API treats such a text as a date everywhere. */
const isDate = (text: string) => /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(text);

/**
 * The type in which a field is compared; undefined if any type may be right. The project only knows the type of the
 * first value, and text from an import may hold numbers or dates, too.
 */
export const comparedType = (
  type: FieldType | undefined,
  values: readonly unknown[],
): FieldType | undefined =>
  type === 'string' && values.some((value) => typeof value !== 'string' || isDate(value)) ? undefined : type;
