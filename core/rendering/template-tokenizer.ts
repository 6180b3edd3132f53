import {
  defaultOperators,
  type FilteredValueToken,
  type TagToken,
  Tokenizer,
  type ValueToken,
} from 'liquidjs';
import {
  CompiledExpression,
  compileExpression,
  compileFilters,
  compileLiteralName,
  compilePath,
  compileRange,
  constant,
  type Evaluate,
  type ExpressionPart,
  type FilterArgument,
  type FilterCall,
  literalValue,
} from './evaluate.ts';
import { isFilter, rawFilterToken } from './filters.ts';

type TokenizerOptions = Parameters<Tokenizer['readTopLevelToken']>[0];
type LiquidLine = ReturnType<Tokenizer['readLiquidTagToken']>;

interface Operand {
  evaluate: Evaluate;
  /** Plain words and dots, nothing else: a name that may also be the key of a field. */
  isPlainName: boolean;
  /** Liquid's own token, of a literal that stands alone. */
  literal?: ValueToken | undefined;
}

const operators = { ...defaultOperators, '??': () => false };
const wordOperators = new Set(['and', 'or', 'not', 'contains']);
/** Brackets and ranges inside each other, in one expression. */
const maxExpressionDepth = 32;
/** Operands, filters and fallbacks of one expression, each. */
const maxExpressionParts = 100;
/** Values in the tags of one template; a tag may evaluate all of its values without looking at the clock. */
const maxTagValues = 5_000;
/** Values and filters of one template, in tags and outputs. */
const maxTemplateParts = 10_000;
/** Characters of one word; keys of data are shorter. */
const maxWordLength = 1_000;
const tooLong = 'the expression is too long';

/**
 * Reads templates as Liquid does, with what this service adds: `??` falls back on missing and null values, at
 * any place of an expression and after filters; field names may hold spaces (`{{ data.first name }}`), also in
 * filter arguments and conditions. Expressions come out compiled, so tags and outputs evaluate alike.
 */
export class TemplateTokenizer extends Tokenizer {
  private readonly shared: { valuesLeft: number; partsLeft: number };
  private depth = 0;

  /** @param shared what all tokenizers of one template may read together */
  constructor(
    input: string,
    range?: [number, number],
    shared = { valuesLeft: maxTagValues, partsLeft: maxTemplateParts },
  ) {
    super(input, operators, undefined, range);
    this.shared = shared;
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

  /** A question mark is part of a word in Liquid, but two of them are the fallback operator here. */
  override readIdentifier(): ReturnType<Tokenizer['readIdentifier']> {
    this.skipBlank();
    let end = this.p;
    while (end < this.N && this.isWordAt(end) && !this.input.startsWith('??', end)) {
      end++;
      this.assert(end - this.p <= maxWordLength, 'the word is too long');
    }
    const inputEnd = this.N;
    this.N = end;
    const token = super.readIdentifier();
    this.N = inputEnd;
    return token;
  }

  private isWordAt(index: number): boolean {
    const type = this.peekType(index - this.p);
    return this.input.charCodeAt(index) >= 128 ? type === undefined : (type & 1) !== 0;
  }

  override readTagToken(options: TokenizerOptions): TagToken {
    return this.withOwnTokenizer(super.readTagToken(options));
  }

  override readLiquidTagToken(options: TokenizerOptions): LiquidLine {
    const token = super.readLiquidTagToken(options);
    return token && this.withOwnTokenizer(token);
  }

  /** A whole expression with its filters, compiled. A final `raw` is not applied: it marks an output. */
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
    const isRaw = calls.at(-1)?.name === 'raw';
    return { evaluate: compileFilters(value, isRaw ? calls.slice(0, -1) : calls, false), isRaw };
  }

  override readFilteredValue(): FilteredValueToken {
    const begin = this.p;
    const { evaluate, isRaw } = this.readOutputValue();
    const token = this.valueToken(begin, evaluate);
    if (isRaw) token.filters = rawFilterToken;
    return token;
  }

  /** A single value, as in `for item in items` or `limit: 3`; the words after a name are not part of it. */
  override readValue(): ReturnType<Tokenizer['readValue']> {
    this.skipBlank();
    const begin = this.p;
    const operand = this.readOperand(false);
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

  private withOwnTokenizer<T extends { tokenizer: Tokenizer; contentRange: [number, number] }>(token: T): T {
    const tokenizer = this.inside(token);
    tokenizer.p = token.tokenizer.p;
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

  private readOperand(takesSpaces: boolean): Operand | undefined {
    this.depth++;
    this.assert(this.depth <= maxExpressionDepth, 'the expression is nested too deeply');
    const operand = this.readLiteralOperand(takesSpaces) ?? this.readPath(takesSpaces);
    if (operand) this.countPart();
    this.depth--;
    return operand;
  }

  private countPart(): void {
    this.shared.partsLeft--;
    this.assert(this.shared.partsLeft >= 0, `at most ${maxTemplateParts} values and filters are accepted`);
  }

  private readLiteralOperand(takesSpaces: boolean): Operand | undefined {
    this.skipBlank();
    const begin = this.p;
    const quote = this.peek();
    if (quote === '"' || quote === "'") {
      const quoted = this.readQuoted();
      const isClosed = quoted !== undefined && quoted.size() > 1 && this.input[this.p - 1] === quote;
      this.assert(isClosed, 'the text is not closed', begin);
      const text = this.withProperties(constant(quoted?.content), takesSpaces);
      return quoted?.end === this.p ? { ...text, literal: quoted } : text;
    }
    if (quote === '(') return this.withProperties(this.readRange(), takesSpaces);
    const literal = this.readLiteral();
    const number = literal ? undefined : this.readNumber();
    if (!literal && !number) return undefined;
    // `empty seats`, `24 hour plan` and `true.story` are names of fields.
    const end = this.p;
    const hasProperty = this.peek() === '[' || (this.peek() === '.' && this.peek(1) !== '.');
    if (hasProperty || (takesSpaces && this.readFollowingWord() !== undefined)) {
      this.p = begin;
      return undefined;
    }
    this.p = end;
    return {
      evaluate: constant(literal ? literalValue(literal.literal) : number?.content),
      isPlainName: true,
      literal: literal ?? number,
    };
  }

  private readRange(): Evaluate {
    const begin = this.p;
    this.advance();
    const low = this.readOperand(false);
    this.skipBlank();
    this.assert(low && this.match('..'), 'invalid range syntax', begin);
    this.advance(2);
    const high = this.readOperand(false);
    this.skipBlank();
    this.assert(high && this.read() === ')', 'invalid range syntax', begin);
    return compileRange(low?.evaluate ?? constant(0), high?.evaluate ?? constant(-1));
  }

  private readPath(takesSpaces: boolean): Operand | undefined {
    this.skipBlank();
    const name = this.readName(takesSpaces);
    if (name !== undefined) return this.withProperties(name, takesSpaces);
    if (this.peek() !== '[') return undefined;
    const root = this.readBracket();
    return this.withProperties(
      (context) => context.lookup(String(root.evaluate(context) ?? '')),
      takesSpaces,
    );
  }

  private withProperties(root: Evaluate | string, takesSpaces: boolean): Operand {
    const path: Evaluate[] = [];
    const names: string[] = [];
    for (;;) {
      if (this.peek() === '[') {
        path.push(this.readBracket().evaluate);
      } else if (this.peek() === '.' && this.peek(1) !== '.') {
        this.advance();
        const name = this.readName(takesSpaces);
        if (name === undefined) throw this.error('a property name is missing after the dot');
        path.push(constant(name));
        names.push(name);
      } else break;
      this.assert(path.length < maxExpressionParts, tooLong);
    }
    const allNamed = names.length === path.length;
    return {
      evaluate: compilePath(root, path, allNamed ? names : undefined),
      isPlainName: typeof root === 'string' && allNamed,
    };
  }

  private readBracket(): Operand {
    const begin = this.p;
    this.advance();
    const key = this.readOperand(true);
    this.skipBlank();
    if (!key || this.read() !== ']') throw this.error('[ not closed', begin);
    return key;
  }

  /** A word, or several that are separated by blanks and are no operators. */
  private readName(takesSpaces: boolean): string | undefined {
    let name = this.readNonEmptyIdentifier()?.content;
    for (let words = 1; takesSpaces && name !== undefined; words++) {
      this.assert(words < maxExpressionParts, tooLong);
      const word = this.readFollowingWord();
      if (word === undefined) break;
      name = `${name} ${word}`;
    }
    return name;
  }

  private readFollowingWord(): string | undefined {
    const begin = this.p;
    this.skipBlank();
    const isNext = this.p > begin && this.readOperator() === undefined;
    const word = isNext ? this.readNonEmptyIdentifier()?.content : undefined;
    if (word === undefined) this.p = begin;
    return word;
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
