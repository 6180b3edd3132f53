import { toAddressPart } from '../addresses/email-address.ts';
import {
  type AgeTest,
  type Comparison,
  type DataTest,
  type EmailTest,
  type EventTest,
  type Filter,
  type InstantTest,
  type Predicate,
  randomGroups,
  type WorkflowPredicate,
} from './condition.ts';
import { type OperatorTest, operatorTables } from './operators.ts';
import { type Field, parseField, parseVariable } from './parse-field.ts';
import {
  parseBoolean,
  parseCount,
  parseDate,
  parseDurationMs,
  parseFoldedText,
  parseList,
  parseOperand,
  parseOrdered,
  type RawFilter,
  Refused,
} from './parse-operand.ts';

/** @throws Refused */
export function parseFilter(raw: RawFilter): Filter {
  if (typeof raw.field !== 'string') {
    throw new Refused('field', 'Expected a string', 'invalid_type', raw.field);
  }
  const field = parseField(raw.field);
  if (!field) throw new Refused('field', 'Unknown field', 'invalid_value', raw.field);
  if (typeof raw.operator !== 'string') {
    throw new Refused('operator', 'Expected a string', 'invalid_type', raw.operator);
  }
  const operators = operatorTables[field.subject];
  const rule = operators.get(raw.operator);
  if (!rule) {
    const message = `Expected one of ${[...operators.keys()].join(', ')}`;
    throw new Refused('operator', message, 'invalid_value', raw.operator);
  }
  return { predicate: parsePredicate(field, rule.test, raw), negated: rule.negated };
}

/**
 * Like `parseFilter`, but also accepts workflow variables: `context.<path>`, and `event.<path>`, which is the
 * data of the triggering event unless the operator is one of event history.
 */
export function parseWorkflowFilter(raw: RawFilter): Filter<WorkflowPredicate> {
  const variable = typeof raw.field === 'string' ? parseVariable(raw.field) : undefined;
  const asksHistory = typeof raw.operator === 'string' && operatorTables.event.has(raw.operator);
  if (variable === undefined || (variable.of === 'event' && asksHistory)) return parseFilter(raw);
  // Variables take the operators and values of `data`.
  const { predicate, negated } = parseFilter({ ...raw, field: 'data.x' });
  if (predicate.subject !== 'data') throw new Error('A filter on data is a predicate on data');
  return { predicate: { subject: 'variable', ...variable, test: predicate.test }, negated };
}

function parsePredicate(field: Field, test: OperatorTest, raw: RawFilter): Predicate {
  switch (field.subject) {
    case 'email':
      return { subject: 'email', test: parseEmailTest(test, raw) };
    case 'subscribed':
      return { subject: 'subscribed', value: parseBoolean(raw) };
    case 'randomGroup':
      return { subject: 'randomGroup', below: parseCount(raw, randomGroups) };
    case 'instant':
      return { ...field, test: parseInstantTest(test, raw) };
    case 'data':
      return { ...field, test: parseDataTest(test, raw) };
    case 'event':
      return { ...field, test: parseEventTest(test, raw) };
    case 'segment':
      return { subject: 'segment', id: field.id };
    case 'campaign':
      return {
        subject: 'campaign',
        id: field.id,
        activity: test === 'opened' || test === 'clicked' ? test : 'sent',
      };
  }
}

function parseEmailTest(test: OperatorTest, raw: RawFilter): EmailTest {
  const part = toAddressPart(parseFoldedText(raw));
  return test === 'containing' ? { is: 'containing', text: part } : { is: 'equal', value: part };
}

function parseInstantTest(test: OperatorTest, raw: RawFilter): InstantTest {
  if (test === 'equal') return { is: 'equal', value: parseDate(raw) };
  if (isComparison(test)) return { is: 'compared', by: test, value: parseDate(raw) };
  return parseAgeTest(test, raw);
}

function parseDataTest(test: OperatorTest, raw: RawFilter): DataTest {
  if (test === 'equal') return { is: 'equal', value: parseOperand(raw) };
  if (test === 'oneOf') return { is: 'oneOf', values: parseList(raw) };
  if (test === 'containing') return { is: 'containing', text: parseFoldedText(raw) };
  if (isComparison(test)) return { is: 'compared', by: test, value: parseOrdered(raw) };
  return parseAgeTest(test, raw);
}

function parseEventTest(test: OperatorTest, raw: RawFilter): EventTest {
  if (test !== 'countAbove' && test !== 'countFrom') return parseAgeTest(test, raw);
  const atLeast = parseCount(raw) + (test === 'countAbove' ? 1 : 0);
  if (raw.within === undefined || raw.within === null) return { is: 'counted', atLeast };
  return { is: 'counted', atLeast, withinMs: parseDurationMs(raw, 'within') };
}

function parseAgeTest(test: OperatorTest, raw: RawFilter): AgeTest {
  if (test === 'present') return { is: 'present' };
  return { is: test === 'within' ? 'within' : 'olderThan', ms: parseDurationMs(raw, 'value') };
}

const isComparison = (test: OperatorTest): test is Comparison => /^(greater|less)Than/.test(test);
