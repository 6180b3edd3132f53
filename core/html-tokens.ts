import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

const ignore = () => undefined;
const ignored: TokenizerCallbacks = {
  ...{ onattribdata: ignore, onattribentity: ignore, onattribend: ignore, onattribname: ignore },
  ...{ onopentagname: ignore, onopentagend: ignore, onselfclosingtag: ignore, onclosetag: ignore },
  ...{ oncdata: ignore, oncomment: ignore, ondeclaration: ignore, onprocessinginstruction: ignore },
  ...{ ontext: ignore, ontextentity: ignore, onend: ignore },
};

/** Calls back for each HTML token. Not a parser: it keeps no stack of open tags, so any input takes linear time. */
export function tokenizeHtml(html: string, callbacks: Partial<TokenizerCallbacks>): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, { ...ignored, ...callbacks });
  tokenizer.write(html);
  tokenizer.end();
}
