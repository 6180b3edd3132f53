import { ParseError, Parser, type Template, TokenKind, type TopLevelToken, TypeGuards } from 'liquidjs';
import { literalRender } from './bounded-render.ts';
import { ExpressionTokenizer } from './expression-tokenizer.ts';
import { noPieces, withoutHoles } from './pieced-text.ts';

const maxTags = 5_000;
const maxParts = 10_000;
const maxDepth = 100;

type Node = ReturnType<Parser['parseToken']>;

export class TemplateParser extends Parser {
  private readonly limits = { parts: maxParts };
  private depth = 0;
  private tagCount = 0;

  /** Memory of what it has parsed, apart from the source: an estimate, within a factor of three for usual templates. */
  get bytes(): number {
    return 600 + 700 * this.tagCount + 300 * (maxParts - this.limits.parts);
  }

  override parseTokens(tokens: TopLevelToken[]): Template[] {
    for (const token of tokens) {
      if (TypeGuards.isHTMLToken(token)) continue;
      if (++this.tagCount > maxTags) throw fault(`at most ${maxTags} tags and outputs are accepted`, token);
      const tokenizer = new ExpressionTokenizer(token, this.limits);
      if (!TypeGuards.isTagToken(token)) {
        Object.assign(token, { kind: TokenKind.Tag, name: 'echo', args: token.content, tokenizer });
      } else if (token.name !== 'liquid') token.tokenizer = tokenizer;
    }
    return super.parseTokens(tokens);
  }

  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): Node {
    if (TypeGuards.isHTMLToken(token)) {
      const literal = { outline: withoutHoles(token.getContent()), pieces: noPieces };
      return Object.assign(super.parseToken(token, remaining), { render: literalRender(literal) });
    }
    if (++this.depth > maxDepth) throw fault('the tags are nested too deeply', token);
    const node = super.parseToken(token, remaining);
    this.depth--;
    return node;
  }
}

function fault(message: string, token: TopLevelToken): ParseError {
  return new ParseError(new Error(message), token);
}
