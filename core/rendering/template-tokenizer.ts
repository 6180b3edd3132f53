import { type FilteredValueToken, type TagToken, Tokenizer } from 'liquidjs';
import {
  CompiledExpression,
  compileExpression,
  compileFilters,
  compileLiteralName,
  type Evaluate,
  type ExpressionPart,
  type FilterArgument,
  type FilterCall,
} from './evaluate.ts';
import { isFilter, rawFilterToken } from './filters.ts';
import {
  createSharedLimits,
  maxExpressionParts,
  maxTagValues,
  OperandTokenizer,
  tooLong,
} from './operand-tokenizer.ts';

type TokenizerOptions = Parameters<Tokenizer['readTopLevelToken']>[0];
type LiquidLine = ReturnType<Tokenizer['readLiquidTagToken']>;

/** Filters after which an output is not escaped. */
export const rawFilters: ReadonlySet<string> = new Set(['raw', 'escape', 'escape_once', 'xml_escape']);
/** Tags that go over a list, and may say how behind its name. */
const loopTags = new Set(['for', 'tablerow']);
const wordOperators = new Set(['and', 'or', 'not', 'contains']);

/**
 * Reads templates as Liquid does, with what this service adds: `??` falls back on missing and null values, at
 * any place of an expression and after filters; field names may hold spaces (`{{ data.first name }}`), also in
 * filter arguments and conditions. Expressions come out compiled, so tags and outputs evaluate alike.
 */
export class TemplateTokenizer extends OperandTokenizer {
  /** The value to come is the list of a loop. */
  private expectsList = false;

  /** @param shared what all tokenizers of one template may read together */
  constructor(input: string, range?: [number, number], shared = createSharedLimits()) {
    super(input, range, shared);
  }

  /** A tokenizer for the inside of a tag or an output. */
  inside(token: { contentRange: [number, number] }): TemplateTokenizer {
    return new TemplateTokenizer(this.input, token.contentRange, this.shared);
  }

  /** Up to the next delimiter; the base class looks at each character several times. */
  override readHTMLToken(stopStrings: string[]): ReturnType<Tokenizer['readHTMLToken']> {
    const begin = this.p;
    const isStop = (at: number) => stopStrings.some((stop) => this.input.startsWith(stop, at));
    let end = this.input.indexOf('{', begin);
    while (end !== -1 && !isStop(end)) end = this.input.indexOf('{', end + 1);
    // The base class makes the token, with nothing left to look at.
    this.p = end === -1 || end > this.N ? this.N : end;
    const token = super.readHTMLToken(stopStrings);
    token.begin = begin;
    return token;
  }

  override readTagToken(options: TokenizerOptions): TagToken {
    return this.withOwnTokenizer(super.readTagToken(options));
  }

  override readLiquidTagToken(options: TokenizerOptions): LiquidLine {
    const token = super.readLiquidTagToken(options);
    return token && this.withOwnTokenizer(token);
  }

  /**
   * A whole expression with its filters, compiled. It is raw, so that an output must not escape it, after a final
   * `raw`, which itself is not applied, and after a final filter that escapes.
   */
  readOutputValue(): { evaluate: Evaluate; isRaw: boolean } {
    let value = this.readCompiledExpression();
    let calls = this.readFilterCalls();
    for (let fallbacks = 0; this.match('??'); fallbacks++) {
      this.assert(fallbacks < maxExpressionParts, tooLong);
      this.advance(2);
      const left = compileFilters(value, calls, true);
      const right = this.readCompiledExpression();
      value = (context) => left(context) ?? right(context);
      calls = this.readFilterCalls();
    }
    const last = calls.at(-1)?.name ?? '';
    const applied = last === 'raw' ? calls.slice(0, -1) : calls;
    return { evaluate: compileFilters(value, applied, false), isRaw: rawFilters.has(last) };
  }

  override readFilteredValue(): FilteredValueToken {
    const begin = this.p;
    const { evaluate, isRaw } = this.readOutputValue();
    const token = this.valueToken(begin, evaluate);
    if (isRaw) token.filters = rawFilterToken;
    return token;
  }

  /** A single value, as `limit: 3` has one; the words after a name are part of it only in the list of a loop. */
  override readValue(): ReturnType<Tokenizer['readValue']> {
    this.skipBlank();
    const begin = this.p;
    this.isInList = this.expectsList;
    this.expectsList = false;
    const operand = this.isInList ? this.readWithFallbacks() : this.readOperand(false);
    this.isInList = false;
    return operand && (operand.literal ?? this.valueToken(begin, operand.evaluate));
  }

  private valueToken(begin: number, evaluate: Evaluate): FilteredValueToken {
    this.shared.valuesLeft--;
    this.assert(this.shared.valuesLeft >= 0, `at most ${maxTagValues} values are accepted in tags`, begin);
    const token = new Tokenizer('x').readFilteredValue();
    token.initial = new CompiledExpression(evaluate);
    token.input = this.input;
    token.begin = begin;
    token.end = this.p;
    return token;
  }

  private withOwnTokenizer<T extends { name: string; tokenizer: Tokenizer; contentRange: [number, number] }>(
    token: T,
  ): T {
    const tokenizer = this.inside(token);
    tokenizer.p = token.tokenizer.p;
    tokenizer.expectsList = loopTags.has(token.name);
    token.tokenizer = tokenizer;
    return token;
  }

  private readCompiledExpression(): Evaluate {
    this.skipBlank();
    const begin = this.p;
    const parts: ExpressionPart[] = [];
    let isName = true;
    let hasWordOperator = false;
    let end = begin;
    for (;;) {
      const operator = this.readOperator()?.getText();
      const operand = operator === undefined ? this.readOperand(true) : undefined;
      if (operator !== undefined) {
        parts.push({ operator });
        isName &&= wordOperators.has(operator);
        hasWordOperator = true;
      } else if (operand) {
        parts.push({ operand: operand.evaluate });
        isName &&= operand.isPlainName;
      } else break;
      this.assert(parts.length < 2 * maxExpressionParts, tooLong);
      end = this.p;
    }
    const evaluate = compileExpression(parts);
    if (parts.length === 0) throw this.error('a value is missing', begin);
    if (!evaluate) throw this.error(`invalid expression: ${this.snapshot(begin)}`, begin);
    const text = collapse(this.input.slice(begin, end));
    return isName && hasWordOperator ? compileLiteralName(text, evaluate) : evaluate;
  }

  private readFilterCalls(): FilterCall[] {
    const calls: FilterCall[] = [];
    for (;;) {
      this.skipBlank();
      if (this.end() || this.peek() === ',' || this.peek() === ')' || this.match('??')) return calls;
      this.assert(this.peek() === '|', () => `unexpected ${this.snapshot()}`);
      this.advance();
      this.skipBlank();
      const begin = this.p;
      const name = this.readIdentifier().content;
      this.assert(name !== '', 'expected filter name', begin);
      this.assert(isFilter(name), `undefined filter: ${name}`, begin);
      this.assert(calls.length < maxExpressionParts, tooLong, begin);
      this.countPart();
      calls.push({ name, arguments: this.readFilterArguments() });
    }
  }

  private readFilterArguments(): FilterArgument[] {
    const list: FilterArgument[] = [];
    this.skipBlank();
    if (this.peek() !== ':') return list;
    do {
      this.advance();
      this.skipBlank();
      const begin = this.p;
      const operand = this.readOperand(true);
      if (!operand) throw this.error('expected an argument', begin);
      const name = this.input.slice(begin, this.p);
      this.skipBlank();
      if (this.peek() === ':') {
        this.advance();
        const named = this.readOperand(true);
        if (!named) throw this.error('expected an argument', begin);
        list.push({ name, evaluate: named.evaluate });
        this.skipBlank();
      } else list.push({ name: undefined, evaluate: operand.evaluate });
      this.assert(list.length < maxExpressionParts, tooLong, begin);
    } while (this.peek() === ',');
    return list;
  }
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
