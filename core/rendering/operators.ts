import { defaultOperators, isTruthy, toValueSync } from 'liquidjs';
import type { RenderContext } from './render-context.ts';
import { weigh } from './values.ts';

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

/** Only texts, numbers and booleans are ordered; comparisons with a missing value are false. */
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
