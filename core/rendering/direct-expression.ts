import {
  type Context,
  defaultOperators,
  Expression,
  evalToken,
  isFalsy,
  isTruthy,
  type PropertyAccessToken,
  type Token,
  TypeGuards,
  toValue,
  toValueSync,
  type Value,
} from 'liquidjs';
import { nameOf, parsePath, type RenderContext, renderContextOf } from './render-context.ts';
import { weigh } from './values.ts';

export type Evaluate = (context: RenderContext) => unknown;

const maxRangeLength = 100_000;

/**
 * An expression that evaluates without generators: liquidjs takes 2 µs for an output, this 0.05, and campaigns
 * render several per recipient. What an upgrade of liquidjs may break: `expression-tokenizer.ts`.
 */
export class DirectExpression extends Expression {
  readonly value: Evaluate;
  /** The path of the variable, if the expression is nothing else but perhaps a text for when it is missing. */
  readonly variable: readonly string[] | undefined;
  readonly hasFallback: boolean;
  /** What stands before `??` and ends in a raw filter: if it is not missing, it is the value and is not escaped. */
  readonly raw: Evaluate | undefined;

  constructor(
    value: Evaluate,
    { variable, hasFallback = false, raw }: Partial<Omit<DirectExpression, 'value' | 'evaluate'>> = {},
  ) {
    super([]);
    this.value = value;
    this.variable = variable;
    this.hasFallback = hasFallback;
    this.raw = raw;
  }

  // biome-ignore lint/correctness/useYield: the tags of liquidjs drive generators; this one has its value at once.
  override *evaluate(context: Context): Generator<unknown, unknown, unknown> {
    return this.value(renderContextOf(context));
  }
}

/**
 * @param tokens operands and operators in a valid order
 * @param name the text of names joined by `and`, `or`, `not` or `contains`, which may be the key of a field
 */
export function compileExpression(tokens: Iterable<Token>, name?: string): DirectExpression {
  const operands: Evaluate[] = [];
  const { postfix } = new Expression(tokens);
  for (const token of postfix) {
    if (!TypeGuards.isOperatorToken(token)) {
      operands.push(compileToken(token));
      continue;
    }
    const right = operands.pop() ?? nothing;
    const left = token.operator === 'not' ? undefined : (operands.pop() ?? nothing);
    operands.push(compileOperator(token.getText(), left, right));
  }
  const [value = nothing] = operands;
  if (name === undefined) {
    const hasFallback = isTextFallback(postfix);
    const variable = hasFallback || postfix.length === 1 ? expressionOf(postfix[0])?.variable : undefined;
    return new DirectExpression(value, { variable, hasFallback });
  }
  const field = compileName(name);
  return new DirectExpression((context) => {
    const known = field(context);
    return known === undefined ? value(context) : known;
  });
}

/** @param isRaw whether `left` ends in a raw filter */
export function compileFallback(left: Token, right: Token, isRaw = false): DirectExpression {
  const value = compileToken(left);
  const either = compileOperator('??', value, compileToken(right));
  return new DirectExpression(either, { raw: isRaw ? value : undefined });
}

export function compileWeighed(token: Token): DirectExpression {
  const value = compileToken(token);
  return new DirectExpression((context) => {
    const read = value(context);
    context.budget.step();
    weigh(read, context.budget);
    return read;
  });
}

/** `(low..high)` of whole numbers; otherwise an empty list. liquidjs loops endlessly from 2^53 on. */
export function compileRange(low: Token, high: Token): DirectExpression {
  const bounds = [compileToken(low), compileToken(high)];
  return new DirectExpression((context) => {
    const [first = 0, last = 0] = bounds.map((bound) => Math.trunc(Number(bound(context))));
    const length = last - first + 1;
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(first + length) || length <= 0) return [];
    context.budget.spend(length > maxRangeLength ? Number.POSITIVE_INFINITY : length * 2);
    return Array.from({ length }, (_, index) => first + index);
  });
}

function nothing(): undefined {}

/** Whether it is `value ?? "text"`. */
function isTextFallback([, text, operator, ...others]: readonly Token[]): boolean {
  if (operator === undefined || text === undefined || others.length > 0) return false;
  return TypeGuards.isOperatorToken(operator) && operator.getText() === '??' && 'content' in text;
}

/** A variable, or a literal with properties. */
export function compilePath({ variable: literal, props }: PropertyAccessToken): DirectExpression {
  if (literal) return new DirectExpression(compileProperties(compileToken(literal), props));
  const [root, ...rest] = props;
  const variable: string[] = [];
  for (const prop of props) {
    if (!('content' in prop)) break;
    variable.push(String(prop.content));
  }
  // Plain names are looked up as one, because a field's key may contain dots too.
  if (root === undefined || props.every(TypeGuards.isWordToken)) {
    return new DirectExpression(compileName(variable.join('.')), { variable });
  }
  const name = compileToken(root);
  const lookUp: Evaluate = (context) => context.lookup(parsePath(String(nameOf(name(context)) ?? '')));
  return new DirectExpression(compileProperties(lookUp, rest), { variable });
}

function compileProperties(object: Evaluate, props: readonly Token[]): Evaluate {
  const keys = props.map(compileToken);
  return (context) => {
    context.budget.step();
    return keys.reduce((value, key) => context.readProperty(value, key(context)), object(context));
  };
}

function compileOperator(name: string, left: Evaluate | undefined, right: Evaluate): Evaluate {
  if (left === undefined) return (context) => isFalsy(right(context), context);
  if (name === '??') return (context) => toValue(left(context)) ?? right(context);
  const operate = operators[name];
  return (context) => operate?.(left(context), right(context), context);
}

function compileToken(token: Token): Evaluate {
  if ('content' in token) return () => token.content;
  return expressionOf(token)?.value ?? ((context) => toValueSync(evalToken(token, context)));
}

function expressionOf(token: Token | undefined): DirectExpression | undefined {
  if (!TypeGuards.isFilteredValueToken(token) || token.filters.length > 0) return undefined;
  return token.initial instanceof DirectExpression ? token.initial : undefined;
}

function compileName(name: string): Evaluate {
  const path = parsePath(name);
  return (context) => context.lookup(path);
}

export function evaluate({ initial, filters }: Value, context: RenderContext): unknown {
  let value = initial instanceof DirectExpression ? initial.value(context) : undefined;
  for (const filter of filters) value = toValueSync(filter.render(value, context));
  return value;
}

type Operator = (left: unknown, right: unknown, context: RenderContext) => unknown;

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** Charges the operands to the budget. Null equals missing. */
function weighed(name: '==' | 'contains'): Operator {
  const operator = defaultOperators[name];
  return (left, right, context) => {
    if (name === '==' && isScalar(left) && isScalar(right)) return left === right;
    weigh(left, context.budget);
    weigh(right, context.budget);
    return toValueSync(operator?.(left ?? null, right ?? null, context));
  };
}

/** Only strings, numbers and booleans are ordered; comparisons with a missing value are false. */
function ordered(name: string): Operator {
  const operator = defaultOperators[name];
  return (left, right, context) =>
    isScalar(left) && isScalar(right) && toValueSync(operator?.(left, right, context));
}

const equals = weighed('==');

export const operators: Readonly<Record<string, Operator>> = {
  '==': equals,
  '!=': (left, right, context) => !equals(left, right, context),
  contains: weighed('contains'),
  ...Object.fromEntries(['<', '<=', '>', '>='].map((name) => [name, ordered(name)])),
  and: (left, right, context) => isTruthy(left, context) && isTruthy(right, context),
  or: (left, right, context) => isTruthy(left, context) || isTruthy(right, context),
};
