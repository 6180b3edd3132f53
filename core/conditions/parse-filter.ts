import { toAddressPart } from '../addresses/email-address.ts';
import type {
  AgeTest,
  Comparison,
  ContainingTest,
  DataTest,
  EmailTest,
  EventTest,
  Filter,
  InstantTest,
  Predicate,
  WorkflowPredicate,
} from './condition.ts';
import { type OperatorTest, operatorTables } from './operators.ts';
import { type Field, parseField, parseVariable } from './parse-field.ts';
import {
  type Parsed,
  parseBoolean,
  parseCount,
  parseDate,
  parseDurationMs,
  parseFoldedText,
  parseOperand,
  parseOrdered,
  type RawFilter,
  refuse,
} from './parse-operand.ts';

export function parseFilter(raw: RawFilter): Parsed<Filter> {
  if (typeof raw.field !== 'string') return refuse('field', 'Expected a string', 'invalid_type', raw.field);
  const field = parseField(raw.field);
  if (!field) return refuse('field', 'Unknown field', 'invalid_value', raw.field);
  if (typeof raw.operator !== 'string') {
    return refuse('operator', 'Expected a string', 'invalid_type', raw.operator);
  }
  const operators = operatorTables[field.subject];
  const rule = operators.get(raw.operator);
  if (!rule) {
    const message = `Expected one of ${[...operators.keys()].join(', ')}`;
    return refuse('operator', message, 'invalid_value', raw.operator);
  }
  return map(parsePredicate(field, rule.test, raw), (predicate) => ({ predicate, negated: rule.negated }));
}

/**
 * Like `parseFilter`, but also accepts workflow variables: `context.<path>`, and `event.<path>`, which is the
 * data of the triggering event unless the operator is one of event history.
 */
export function parseWorkflowFilter(raw: RawFilter): Parsed<Filter<WorkflowPredicate>> {
  const variable = typeof raw.field === 'string' ? parseVariable(raw.field) : undefined;
  const asksHistory = typeof raw.operator === 'string' && operatorTables.event.has(raw.operator);
  if (variable === undefined || (variable.of === 'event' && asksHistory)) return parseFilter(raw);
  // Variables take the operators and values of `data`.
  const parsed = parseFilter({ ...raw, field: 'data.x' });
  if (!parsed.ok) return parsed;
  const { predicate, negated } = parsed.value;
  if (predicate.subject !== 'data') throw new Error('A filter on data is a predicate on data');
  return {
    ok: true,
    value: { predicate: { subject: 'variable', ...variable, test: predicate.test }, negated },
  };
}

function parsePredicate(field: Field, test: OperatorTest, raw: RawFilter): Parsed<Predicate> {
  switch (field.subject) {
    case 'email':
      return map(parseEmailTest(test, raw), (parsed) => ({ subject: 'email', test: parsed }));
    case 'subscribed':
      return map(parseBoolean(raw), (value) => ({ subject: 'subscribed', value }));
    case 'instant':
      return map(parseInstantTest(test, raw), (parsed) => ({ ...field, test: parsed }));
    case 'data':
      return map(parseDataTest(test, raw), (parsed) => ({ ...field, test: parsed }));
    case 'event':
      return map(parseEventTest(test, raw), (parsed) => ({ ...field, test: parsed }));
    case 'segment':
      return { ok: true, value: field };
  }
}

function parseEmailTest(test: OperatorTest, raw: RawFilter): Parsed<EmailTest> {
  return map(parseFoldedText(raw), (text) => {
    const part = toAddressPart(text);
    return test === 'containing' ? { is: 'containing', text: part } : { is: 'equal', value: part };
  });
}

function parseInstantTest(test: OperatorTest, raw: RawFilter): Parsed<InstantTest> {
  if (test === 'equal') return map(parseDate(raw), (value) => ({ is: 'equal', value }));
  if (isComparison(test)) return map(parseDate(raw), (value) => ({ is: 'compared', by: test, value }));
  return parseAgeTest(test, raw);
}

function parseDataTest(test: OperatorTest, raw: RawFilter): Parsed<DataTest> {
  if (test === 'equal') return map(parseOperand(raw), (value) => ({ is: 'equal', value }));
  if (test === 'containing') return parseContaining(raw);
  if (isComparison(test)) return map(parseOrdered(raw), (value) => ({ is: 'compared', by: test, value }));
  return parseAgeTest(test, raw);
}

function parseEventTest(test: OperatorTest, raw: RawFilter): Parsed<EventTest> {
  if (test !== 'countAbove' && test !== 'countFrom') return parseAgeTest(test, raw);
  const count = parseCount(raw);
  if (!count.ok) return count;
  const atLeast = test === 'countAbove' ? count.value + 1 : count.value;
  if (raw.within === undefined || raw.within === null) return { ok: true, value: { is: 'counted', atLeast } };
  return map(parseDurationMs(raw, 'within'), (withinMs) => ({ is: 'counted', atLeast, withinMs }));
}

function parseAgeTest(test: OperatorTest, raw: RawFilter): Parsed<AgeTest> {
  if (test === 'present') return { ok: true, value: { is: 'present' } };
  const is = test === 'within' ? 'within' : 'olderThan';
  return map(parseDurationMs(raw, 'value'), (ms) => ({ is, ms }));
}

function parseContaining(raw: RawFilter): Parsed<ContainingTest> {
  return map(parseFoldedText(raw), (text) => ({ is: 'containing', text }));
}

function isComparison(test: OperatorTest): test is Comparison {
  return /^(greater|less)Than/.test(test);
}

function map<From, To>(parsed: Parsed<From>, convert: (value: From) => To): Parsed<To> {
  return parsed.ok ? { ok: true, value: convert(parsed.value) } : parsed;
}
