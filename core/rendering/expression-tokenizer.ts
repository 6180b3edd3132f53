import {
  defaultOperators,
  type FilteredValueToken,
  type TagToken,
  Tokenizer,
  type TopLevelToken,
  TypeGuards,
} from 'liquidjs';
import {
  compileExpression,
  compileFallback,
  compileFilters,
  compilePath,
  compileRange,
  compileWeighed,
  DirectExpression,
} from './direct-expression.ts';
import { filters } from './filters.ts';

type Expression = ReturnType<Tokenizer['readExpression']>;
type Operand = ReturnType<Tokenizer['readValue']>;
type ExpressionToken = Expression['postfix'][number];

const operators = { ...defaultOperators, '??': () => false };
/** Binds tightest: `plan ?? "free" == "free"` compares the fallback. */
const fallbackOperator = new Tokenizer('??', operators).readOperator();
if (fallbackOperator) fallbackOperator.getPrecedence = () => 3;

const maxDepth = 32;
/** Occurs only in expressions that are more than names joined by `and`, `or`, `not` or `contains`. */
const notOfNames = /["'[(=<>]|\?\?/;

export type TemplateLimits = { parts: number };

/**
 * Reads the inside of a tag or an output like liquidjs, with two additions: `??` falls back on missing and
 * null values, and names may have spaces (`data.first name`). Stricter where liquidjs ignores what it cannot
 * read, so that typos are reported when the template is saved.
 *
 * What it and its neighbors override, and what to look at in liquidjs when it is upgraded. A test in `template.test.ts`
 * or `liquid-agreement.test.ts` fails without each override of the tokenizer.
 *
 * | Override | For | Look at |
 * |---|---|---|
 * | `end` | `plan??"free"`: `?` may be part of a name | `readIdentifier` and `readFilter` stop at `end` |
 * | `readOperator` | `??` between values | `getPrecedence` of its token; `Expression` sorts by it |
 * | `readFilteredValue` | `??` after filters | outputs, `assign`, `echo` and conditions begin here; the fields of its token |
 * | `readValue` | `??` where a tag takes one value | tags evaluate a `FilteredValueToken` there (`evalToken`) |
 * | `readExpression` | names with `and`, `or`, `not`, `contains`; faults; `DirectExpression` | no other code makes an `Expression`, but for `groupedExpressions`, which is off |
 * | `readNonEmptyIdentifier` | names with spaces | `readProperties` reads each name by it |
 * | `readLiteral`, `readNumber` | names that begin as `true` or `24` do | `readValue` tries both before names |
 * | `readOperand` (our own) | keys with dots, as one name; `DirectExpression` | `variable` and `props` of a `PropertyAccessToken`, their `content` |
 * | `readGroupOrRange` | ranges of bounded length | the error that begins with `invalid range` |
 * | `readTo` | faults between a key and its `]` | `readProperties` calls it with `]` |
 * | `readQuoted`, `readFilter`, `readFilterArg` | faults | `readValue` calls the first, `readFilter` the last |
 * | `DirectExpression.evaluate` | speed | `Value` and `evalToken` call it with the context, and drive a generator |
 * | `compileFilters` (our own) | speed; missing values before `??` | `name` and `args` of its tokens; the `this` of a filter |
 * | `RenderContext.readProperty`, `lookup` (our own) | own properties only; keys with dots | `scopes`, which is private |
 * | `TemplateParser.parseTokens`, `parseToken` | this tokenizer in each tag; limits | `tokenizer` of a `TagToken`; outputs become tags `echo` |
 * | `renderer.renderTemplates` (`boundedRender`) | the budget | tags render their bodies by it |
 */
export class ExpressionTokenizer extends Tokenizer {
  private readonly tagName: string | undefined;
  private readonly limits: TemplateLimits;
  private depth = 0;

  constructor(token: Exclude<TopLevelToken, { trimLeft: number }>, limits: TemplateLimits) {
    super(token.input, operators, undefined, token.contentRange);
    const tag: TagToken | undefined = TypeGuards.isTagToken(token) ? token : undefined;
    if (tag) this.p = tag.tokenizer.p;
    this.limits = limits;
    this.tagName = tag?.name;
  }

  override end(): boolean {
    return super.end() || this.match('??');
  }

  override readFilteredValue(): FilteredValueToken {
    const begin = this.p;
    for (let value = this.readExpression(); ; ) {
      const tokens = this.readFilters();
      const hasFallback = this.match('??');
      value = compileFilters(value, tokens, hasFallback);
      if (!hasFallback) return this.filteredValue(begin, value);
      this.advance(2);
      value = compileFallback(value, this.readExpression());
    }
  }

  override readExpression(): DirectExpression {
    this.skipBlank();
    const begin = this.p;
    const tokens: ExpressionToken[] = [];
    let isValid = true;
    let expectsOperand = true;
    for (;;) {
      const token = this.readOperator() ?? this.readOperand();
      if (token === undefined) break;
      const operator = TypeGuards.isOperatorToken(token) ? token.operator : undefined;
      isValid &&= expectsOperand === (operator === undefined || operator === 'not');
      expectsOperand = operator !== undefined;
      tokens.push(token);
    }
    this.assert(tokens.length > 0, 'a value is missing', begin);
    this.assert(isValid && !expectsOperand, () => `invalid expression: ${this.snapshot(begin)}`, begin);
    const text = this.input.slice(begin, this.p).trim();
    const isName = tokens.length > 1 && !notOfNames.test(text);
    return compileExpression(tokens, isName ? text.replace(/\s+/g, ' ') : undefined);
  }

  override readOperator(): ReturnType<Tokenizer['readOperator']> {
    this.skipBlank();
    if (!this.match('??')) return super.readOperator();
    this.advance(2);
    return fallbackOperator;
  }

  override readValue(): Operand {
    let value = this.readOperand();
    for (this.skipBlank(); value !== undefined && this.match('??'); this.skipBlank()) {
      this.advance(2);
      const right = this.readOperand();
      if (right === undefined) throw this.error('a value is missing after ??');
      const [one, other] = [DirectExpression.of(value), DirectExpression.of(right)];
      value = this.filteredValue(value.begin, compileFallback(one, other));
    }
    if (this.tagName !== 'when' || value === undefined || 'content' in value) return value;
    // `case` compares with all values of a `when` without the budgeted operators.
    return this.filteredValue(value.begin, compileWeighed(value));
  }

  private readOperand(): Operand {
    this.assert(++this.depth <= maxDepth, 'the expression is nested too deeply');
    const value = super.readValue();
    this.depth--;
    if (value) this.countPart();
    if (!TypeGuards.isPropertyAccessToken(value)) return value;
    return this.filteredValue(value.begin, compilePath(value));
  }

  override readNonEmptyIdentifier(): ReturnType<Tokenizer['readNonEmptyIdentifier']> {
    const name = super.readNonEmptyIdentifier();
    this.assert(name || this.input[this.p - 1] !== '.', 'a property name is missing after the dot');
    if (name === undefined) return undefined;
    for (let word = this.readFollowingWord(); word !== undefined; word = this.readFollowingWord()) {
      name.content += ` ${word}`;
      name.end = this.p;
    }
    return name;
  }

  private readFollowingWord(): string | undefined {
    const begin = this.p;
    this.skipBlank();
    const isNext = this.p > begin && this.readOperator() === undefined;
    const word = isNext ? this.readIdentifier().content : '';
    const end = this.p;
    this.skipBlank();
    // `limit: 3` and `reversed` belong to the loop, not to the name of its list.
    const isWord =
      word !== '' &&
      this.peek() !== ':' &&
      !(word === 'reversed' && (this.tagName === 'for' || this.tagName === 'tablerow'));
    this.p = isWord ? end : begin;
    return isWord ? word : undefined;
  }

  override readLiteral(): ReturnType<Tokenizer['readLiteral']> {
    return this.unlessName(() => super.readLiteral());
  }

  override readNumber(): ReturnType<Tokenizer['readNumber']> {
    return this.unlessName(() => super.readNumber());
  }

  /** `empty seats`, `24 hour plan` and `true.story` are names of fields. */
  private unlessName<T>(read: () => T): T | undefined {
    const begin = this.p;
    const token = read();
    const end = this.p;
    if (token === undefined) return undefined;
    const hasProperty = this.peek() === '[' || (this.peek() === '.' && this.peek(1) !== '.');
    const isName = hasProperty || this.readFollowingWord() !== undefined;
    this.p = isName ? begin : end;
    return isName ? undefined : token;
  }

  override readQuoted(): ReturnType<Tokenizer['readQuoted']> {
    const token = super.readQuoted();
    const isClosed = token === undefined || (token.size() > 1 && /^(["']).*\1$/s.test(token.getText()));
    this.assert(isClosed, 'the text is not closed', token?.begin);
    return token;
  }

  override readGroupOrRange(): ReturnType<Tokenizer['readGroupOrRange']> {
    const begin = this.p;
    try {
      const range = super.readGroupOrRange();
      if (!TypeGuards.isRangeToken(range)) return range;
      return this.filteredValue(begin, compileRange(range.lhs, range.rhs));
    } catch (error) {
      const isRange = error instanceof Error && error.message.startsWith('invalid range');
      throw isRange ? this.error('invalid range syntax', begin) : error;
    }
  }

  /** liquidjs skips what follows a key up to its bracket. */
  override readTo(end: string): number {
    if (end !== ']') return super.readTo(end);
    this.skipBlank();
    this.assert(this.read() === ']', '[ not closed', this.input.lastIndexOf('[', this.p - 1));
    return this.p;
  }

  override readFilter(): ReturnType<Tokenizer['readFilter']> {
    this.skipBlank();
    const begin = this.p;
    if (!this.end() && this.peek() !== ',' && this.peek() !== ')') {
      this.assert(this.peek() === '|', () => `unexpected ${this.snapshot()}`);
      this.advance();
      const name = this.readIdentifier();
      this.assert(name.content, 'expected filter name');
      this.assert(filters.has(name.content), `undefined filter: ${name.content}`, name.begin);
      this.countPart();
      this.p = begin;
    }
    return super.readFilter();
  }

  override readFilterArg(): ReturnType<Tokenizer['readFilterArg']> {
    const value = this.readArgument();
    this.skipBlank();
    if (this.peek() !== ':') return value;
    this.advance();
    return [value.getText(), this.readArgument()];
  }

  private readArgument(): NonNullable<Operand> {
    const value = this.readOperand();
    if (value === undefined) throw this.error('expected an argument');
    return value;
  }

  private countPart(): void {
    this.assert(--this.limits.parts >= 0, 'at most 10000 values and filters are accepted');
  }

  private filteredValue(begin: number, initial: DirectExpression): FilteredValueToken {
    // The package exports the token's type, but no other way to create one.
    const token = new Tokenizer('x').readFilteredValue();
    return Object.assign(token, { initial, input: this.input, begin, end: this.p });
  }
}
