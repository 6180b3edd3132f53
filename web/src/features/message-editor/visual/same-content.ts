import { codeOf, isInline, markers } from './elements.ts';
import { parseContent } from './parse-content.ts';

/** As the editor writes them. */
const canonical: Record<string, string> = { B: 'STRONG', I: 'EM' };

/** Whether both look the same to every mail client: spaces that HTML ignores and the order of nested marks aside. */
export const isSameContent = (one: string, other: string): boolean =>
  describe(parseContent(one)) === describe(parseContent(other));

/** Private characters, which no email has that opens here. */
const liquidMark = '\uE000';
const lineBreak = '\uE001';
/** A space that HTML does not ignore. */
const keptSpace = '\uE002';

/** A piece of text within the same marks. */
interface Run {
  marks: string;
  text: string;
}

/** All that a mail client draws, as one text. */
function describe(root: ParentNode & Node): string {
  const runs: Run[] = [];
  let written = '';
  const endLine = () => {
    written += describeLine(runs.splice(0));
  };
  const visit = (node: Node, marks: readonly string[]): void => {
    if (node instanceof Text) {
      runs.push({ marks: marks.join(), text: node.data });
      return;
    }
    if (!(node instanceof Element)) {
      // One that only the parser takes for a comment.
      written += `<!${node.nodeValue}>`;
      return;
    }
    const tag = describeTag(node);
    const code = codeOf(node);
    if (code !== null) {
      runs.push({ marks: marks.join(), text: liquidMark + code.replaceAll(/\s/g, keptSpace) });
    } else if (node.tagName === 'BR' || node.tagName === 'IMG') {
      runs.push({ marks: marks.join(), text: node.tagName === 'BR' ? lineBreak + tag : tag });
    } else if (isInline(node)) {
      for (const child of node.childNodes) visit(child, [...marks, tag].sort());
    } else {
      endLine();
      written += `(${tag}`;
      for (const child of node.childNodes) visit(child, []);
      endLine();
      written += ')';
    }
  };
  for (const child of root.childNodes) visit(child, []);
  endLine();
  return written;
}

function describeTag({ tagName, attributes }: Element): string {
  const pairs = [...attributes]
    .filter(({ name }) => name !== markers.before && name !== markers.end)
    .map(({ name, value }) => `${name}=${JSON.stringify(value)}`);
  return [canonical[tagName] ?? tagName, ...pairs.sort()]
    .join('\u00a0')
    .replaceAll(/[ \t\n\r\f]/g, keptSpace);
}

/** Spaces as HTML draws them: one for many, none at the beginning and the end of a line. */
function describeLine(runs: readonly Run[]): string {
  const characters: Run[] = [];
  for (const { marks, text } of runs) {
    for (const character of text.replaceAll(/[ \t\n\r\f]+/g, ' ')) {
      const before = characters.at(-1)?.text ?? lineBreak;
      if (character === ' ' && (before === ' ' || before === lineBreak)) continue;
      characters.push({ marks, text: character });
    }
    if (text.startsWith(lineBreak)) characters.push({ marks, text: lineBreak });
  }
  while (characters.at(-1)?.text === ' ') characters.pop();
  let line = '';
  let marks = '';
  for (const each of characters) {
    if (each.marks !== marks) line += `[${each.marks}]`;
    line += each.text;
    marks = each.marks;
  }
  return line;
}
