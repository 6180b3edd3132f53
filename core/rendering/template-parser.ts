import { type Liquid, ParseError, Parser, type Template, type TopLevelToken, TypeGuards } from 'liquidjs';
import { DirectNode } from './direct-node.ts';
import { TemplateTokenizer } from './template-tokenizer.ts';
import { escapeHtml, toText } from './values.ts';

/** Outputs and tags of one template. */
export const maxTemplateTags = 5_000;
/** Tags inside each other. */
export const maxTemplateDepth = 100;

type Node = ReturnType<Parser['parseToken']>;
type OutputToken = Extract<TopLevelToken, { content: string }>;

/** Parses with the grammar of `TemplateTokenizer`, within bounds. One parser reads one template. */
export class TemplateParser extends Parser {
  private readonly engine: Liquid;
  private readonly escapes: boolean;
  private tokenizer = new TemplateTokenizer('');
  private depth = 0;
  private tagCount = 0;

  constructor(engine: Liquid, escapes: boolean) {
    super(engine);
    this.engine = engine;
    this.escapes = escapes;
  }

  override parse(source: string): Template[] {
    this.tokenizer = new TemplateTokenizer(source);
    return this.parseTokens(this.tokenizer.readTopLevelTokens(this.engine.options));
  }

  override parseTokens(tokens: TopLevelToken[]): Template[] {
    const tags = tokens.filter((token) => !TypeGuards.isHTMLToken(token));
    const tooMany = tags[maxTemplateTags - this.tagCount];
    this.tagCount += tags.length;
    if (tooMany) throw fault(`at most ${maxTemplateTags} tags and outputs are accepted`, tooMany);
    return super.parseTokens(tokens);
  }

  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): Node {
    if (TypeGuards.isHTMLToken(token)) {
      return new DirectNode(token, token.getContent(), this.engine);
    }
    if (TypeGuards.isOutputToken(token)) return this.parseOutput(token);
    this.depth++;
    if (this.depth > maxTemplateDepth) throw fault('the tags are nested too deeply', token);
    const node = super.parseToken(token, remaining);
    this.depth--;
    return node;
  }

  private parseOutput(token: OutputToken): Node {
    const tokenizer = this.tokenizer.inside(token);
    const { evaluate, isRaw } = tokenizer.readOutputValue();
    tokenizer.assert(tokenizer.end(), () => `unexpected ${tokenizer.snapshot()}`);
    if (isRaw || !this.escapes) {
      return new DirectNode(token, (context) => toText(evaluate(context), context.budget), this.engine);
    }
    return new DirectNode(
      token,
      (context) => {
        const text = toText(evaluate(context), context.budget);
        context.budget.spend(text.length);
        return escapeHtml(text);
      },
      this.engine,
    );
  }
}

function fault(message: string, token: TopLevelToken): ParseError {
  return new ParseError(new Error(message), token);
}
