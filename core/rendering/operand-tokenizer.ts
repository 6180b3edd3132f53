import { defaultOperators, Tokenizer, type ValueToken } from 'liquidjs';
import { compilePath, compileRange, constant, type Evaluate, literalValue } from './evaluate.ts';

/** A value in an expression: a literal, a range, or a variable with its properties. */
export interface Operand {
  evaluate: Evaluate;
  /** Plain words and dots, nothing else: a name that may also be the key of a field. */
  isPlainName: boolean;
  /** Liquid's own token, of a literal that stands alone. */
  literal?: ValueToken | undefined;
}

const operators = { ...defaultOperators, '??': () => false };
/** Brackets and ranges inside each other, in one expression. */
const maxExpressionDepth = 32;
/** Operands, filters and fallbacks of one expression, each. */
export const maxExpressionParts = 100;
/** Values and filters of one template, in tags and outputs. */
const maxTemplateParts = 10_000;
/** Characters of one word; keys of data are shorter. */
const maxWordLength = 1_000;
/** Values in the tags of one template; a tag may evaluate all of its values without looking at the clock. */
export const maxTagValues = 5_000;
export const tooLong = 'the expression is too long';

/** What the tokenizers of one template may still read together. */
export interface SharedLimits {
  valuesLeft: number;
  partsLeft: number;
}

export function createSharedLimits(): SharedLimits {
  return { valuesLeft: maxTagValues, partsLeft: maxTemplateParts };
}

/** Reads the operands of expressions; `TemplateTokenizer` puts them together. */
export class OperandTokenizer extends Tokenizer {
  protected readonly shared: SharedLimits;
  private depth = 0;
  /** The list of a loop is being read: `reversed`, and a word before a colon, are not part of its name. */
  protected isInList = false;

  constructor(input: string, range: [number, number] | undefined, shared: SharedLimits) {
    super(input, operators, undefined, range);
    this.shared = shared;
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

  /** An operand and, behind `??`, those that take its place when it is missing. */
  protected readWithFallbacks(): Operand | undefined {
    let operand = this.readOperand(true);
    for (let count = 0; operand !== undefined; count++) {
      this.skipBlank();
      if (!this.match('??')) break;
      this.assert(count < maxExpressionParts, tooLong);
      this.advance(2);
      const left = operand.evaluate;
      const right = this.readOperand(true)?.evaluate;
      if (right === undefined) throw this.error('a value is missing after ??');
      operand = { evaluate: (context) => left(context) ?? right(context), isPlainName: false };
    }
    return operand;
  }

  protected readOperand(takesSpaces: boolean): Operand | undefined {
    this.depth++;
    this.assert(this.depth <= maxExpressionDepth, 'the expression is nested too deeply');
    const operand = this.readLiteralOperand(takesSpaces) ?? this.readPath(takesSpaces);
    if (operand) this.countPart();
    this.depth--;
    return operand;
  }

  protected countPart(): void {
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
    const key = this.readWithFallbacks();
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
    if (word !== undefined && !(this.isInList && this.isLoopParameter(word))) return word;
    this.p = begin;
    return undefined;
  }

  private isLoopParameter(word: string): boolean {
    if (word === 'reversed') return true;
    const end = this.p;
    this.skipBlank();
    const isNamed = this.peek() === ':';
    this.p = end;
    return isNamed;
  }
}
