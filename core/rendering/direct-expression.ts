import {
  type Context,
  defaultOperators,
  Expression,
  type FilteredValueToken,
  isFalsy,
  isTruthy,
  type PropertyAccessToken,
  type Token,
  TypeGuards,
  toValue,
  toValueSync,
} from 'liquidjs';
import { filters, rawFilters } from './filters.ts';
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
  /** The path of the variable, if the expression is nothing else but perhaps filters and a text for when it is missing. */
  variable: readonly string[] | undefined;
  hasFallback = false;
  /** Whether it ends in a raw filter, so that it is not escaped. */
  isRaw = false;
  /** What stands before `??` and ends in a raw filter: if it is not missing, it is the value and is not escaped. */
  raw: Evaluate | undefined;

  constructor(value: Evaluate, facts: Partial<Omit<DirectExpression, 'value' | 'evaluate'>> = {}) {
    super([]);
    this.value = value;
    Object.assign(this, facts);
  }

  static of(token: Token): DirectExpression {
    if ('content' in token) return new DirectExpression(() => token.content);
    const initial = TypeGuards.isFilteredValueToken(token) ? token.initial : undefined;
    return initial instanceof DirectExpression ? initial : new DirectExpression(nothing);
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
  if (name === undefined) return new DirectExpression(value, shownIn(postfix));
  const field = compileName(name);
  return new DirectExpression((context) => {
    const known = field(context);
    return known === undefined ? value(context) : known;
  });
}

export function compileFallback(left: DirectExpression, right: DirectExpression): DirectExpression {
  const either = compileOperator('??', left.value, right.value);
  return new DirectExpression(either, { raw: left.isRaw ? left.value : undefined });
}

type FilterToken = FilteredValueToken['filters'][number];

/** @param letsMissingPass before a `??`, so that `name | capitalize ?? "friend"` falls back */
export function compileFilters(
  initial: DirectExpression,
  tokens: readonly FilterToken[],
  letsMissingPass: boolean,
): DirectExpression {
  if (tokens.length === 0) return initial;
  const steps = tokens.map((token) => compileFilter(token, letsMissingPass && token.name !== 'default'));
  return new DirectExpression(
    (context) => steps.reduce((value, step) => step(value, context), initial.value(context)),
    {
      variable: initial.variable,
      hasFallback: initial.hasFallback || tokens.some(({ name }) => name === 'default'),
      isRaw: rawFilters.has(tokens.at(-1)?.name ?? ''),
    },
  );
}

function compileFilter(token: FilterToken, letsMissingPass: boolean) {
  const handler = filters.get(token.name);
  const parameters = token.args.map((arg): Evaluate => {
    if (!Array.isArray(arg)) return compileToken(arg);
    const [name, value] = arg;
    const read = value ? compileToken(value) : nothing;
    return (context) => [name, read(context)];
  });
  return (value: unknown, context: RenderContext): unknown => {
    if (letsMissingPass && (toValue(value) ?? undefined) === undefined) return value;
    const self = { context, token, liquid: context.liquid };
    return handler?.call(self, value, ...parameters.map((read) => read(context)));
  };
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

/** The variable of an expression that is `variable` or `variable ?? "text"`. */
function shownIn([first, text, operator, ...others]: readonly Token[]) {
  const isFallback = text !== undefined && 'content' in text && operator?.getText() === '??';
  const hasFallback = isFallback && others.length === 0;
  const isShown = first !== undefined && (text === undefined || hasFallback);
  return { variable: isShown ? DirectExpression.of(first).variable : undefined, hasFallback };
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

const compileToken = (token: Token): Evaluate => DirectExpression.of(token).value;

function compileName(name: string): Evaluate {
  const path = parsePath(name);
  return (context) => context.lookup(path);
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
