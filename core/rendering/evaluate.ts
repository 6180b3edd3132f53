import { Expression } from 'liquidjs';
import { applyFilter } from './filters.ts';
import { applyOperator, isTruthy, operatorPrecedence } from './operators.ts';
import { RenderContext } from './render-context.ts';
import { blankLiteral, emptyLiteral, isRecord, readProperty } from './values.ts';

/** A compiled piece of an expression: gives its value in a rendering. */
export type Evaluate = (context: RenderContext) => unknown;

/** One argument of a filter; with a name when it was written `name: value`. */
export interface FilterArgument {
  name: string | undefined;
  evaluate: Evaluate;
}

export interface FilterCall {
  name: string;
  arguments: FilterArgument[];
}

export type ExpressionPart = { operator: string } | { operand: Evaluate };

const maxRangeLength = 100_000;

/** Lets the tags of Liquid (if, for, assign, case) evaluate what this folder compiled. */
export class CompiledExpression extends Expression {
  private readonly compiled: Evaluate;

  constructor(compiled: Evaluate) {
    super([]);
    this.compiled = compiled;
  }

  // biome-ignore lint/correctness/useYield: Liquid drives generators; ours has its value at once.
  override *evaluate(context: unknown): Generator<unknown, unknown, unknown> {
    return context instanceof RenderContext ? this.compiled(context) : undefined;
  }
}

export function constant(value: unknown): Evaluate {
  return () => value;
}

/** `nil` and `null` are null, so that `??` falls back on them; `empty` and `blank` only compare. */
export function literalValue(literal: string): unknown {
  if (literal === 'true' || literal === 'false') return literal === 'true';
  if (literal === 'empty') return emptyLiteral;
  return literal === 'blank' ? blankLiteral : null;
}

/**
 * A variable and its properties, such as `data.first name` or `items[0].title`. A data field whose own name
 * has dots (`plan.name`) wins over the path through nested data; loops and assignments win over both.
 *
 * @param names the path when all of it is written out, else undefined
 */
export function compilePath(
  root: Evaluate | string,
  path: Evaluate[],
  names: string[] | undefined,
): Evaluate {
  if (typeof root !== 'string') {
    return (context) => walk(root(context), path, context);
  }
  if (path.length === 0) return (context) => context.lookup(root);
  if (!names) return (context) => walk(context.lookup(root), path, context);
  const inData = root === 'data';
  const literalName = inData ? names.join('.') : [root, ...names].join('.');
  return (context) => {
    const value = context.lookup(root);
    if (!context.isAssigned(root)) {
      const literal = inData ? readProperty(value, literalName) : context.lookup(literalName);
      if (literal !== undefined || (inData && names.length === 1)) return literal;
    }
    let current = value;
    for (const name of names) current = readProperty(current, name);
    return current;
  };
}

function walk(start: unknown, path: readonly Evaluate[], context: RenderContext): unknown {
  let current = start;
  for (const key of path) current = readProperty(current, key(context));
  return current;
}

/** `(low..high)`, whole numbers, at most 100,000 of them; anything else is an empty list. */
export function compileRange(low: Evaluate, high: Evaluate): Evaluate {
  return (context) => {
    const first = Math.trunc(Number(low(context)));
    const length = Math.trunc(Number(high(context))) - first + 1;
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(first + length) || length <= 0) return [];
    context.budget.spend(length > maxRangeLength ? Number.POSITIVE_INFINITY : length * 2);
    return Array.from({ length }, (_, index) => first + index);
  };
}

/**
 * Puts operands and operators together by precedence; of equals the right one goes first, as in Liquid.
 *
 * @returns undefined when they don't make up an expression
 */
export function compileExpression(parts: readonly ExpressionPart[]): Evaluate | undefined {
  const operands: Evaluate[] = [];
  const operators: string[] = [];
  const apply = (operator: string): boolean => {
    const right = operands.pop();
    if (!right) return false;
    if (operator === 'not') return operands.push((context) => !isTruthy(right(context))) > 0;
    const left = operands.pop();
    if (!left) return false;
    operands.push((context) => applyOperator(operator, left(context), right(context), context));
    return true;
  };
  let expectsOperand = true;
  for (const part of parts) {
    if ('operand' in part) {
      if (!expectsOperand) return undefined;
      operands.push(part.operand);
      expectsOperand = false;
      continue;
    }
    if (expectsOperand !== (part.operator === 'not')) return undefined;
    const precedence = operatorPrecedence[part.operator] ?? 1;
    for (
      let top = operators.at(-1);
      top !== undefined && (operatorPrecedence[top] ?? 1) > precedence;
      top = operators.at(-1)
    ) {
      operators.pop();
      if (!apply(top)) return undefined;
    }
    operators.push(part.operator);
    expectsOperand = true;
  }
  for (let top = operators.pop(); top !== undefined; top = operators.pop()) {
    if (!apply(top)) return undefined;
  }
  return operands.length === 1 && !expectsOperand ? operands[0] : undefined;
}

/**
 * Passes a value through filters. In front of a `??` a missing value goes past them untouched, so that
 * `name | capitalize ?? "friend"` falls back when the name is missing; `default` still sees it.
 */
export function compileFilters(
  value: Evaluate,
  calls: readonly FilterCall[],
  passMissing: boolean,
): Evaluate {
  let current = value;
  for (const call of calls) {
    const input = current;
    const keepsMissing = passMissing && call.name !== 'default';
    current = (context) => {
      const received = input(context);
      if (keepsMissing && (received === null || received === undefined)) return received;
      const parameters = call.arguments.map((argument) => {
        const parameter = argument.evaluate(context);
        return argument.name === undefined ? parameter : [argument.name, parameter];
      });
      return applyFilter(call.name, received, parameters, context);
    };
  }
  return current;
}

/** Reads a field by the exact text between the braces, for names with `and` or `or` in them. */
export function compileLiteralName(text: string, otherwise: Evaluate): Evaluate {
  const inData = text.startsWith('data.') ? text.slice('data.'.length) : undefined;
  return (context) => {
    const data = inData === undefined ? undefined : context.lookup('data');
    const value = isRecord(data) ? readProperty(data, inData) : context.lookup(text);
    return value === undefined ? otherwise(context) : value;
  };
}
