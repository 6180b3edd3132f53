import { codeOf, isInline, markers } from './elements.ts';
import { parseContent } from './parse-content.ts';

/** Tags that the editor writes under another name. */
const canonical: Record<string, string> = { B: 'STRONG', I: 'EM' };

/**
 * Whether every mail client renders both alike. Whitespace that HTML ignores and the nesting order of inline elements
 * don't count.
 */
export const isSameContent = (one: string, other: string): boolean =>
  describe(parseContent(one)) === describe(parseContent(other));

/** Private-use characters; emails that contain them are not opened. */
const liquidMark = '\uE000';
const lineBreak = '\uE001';
/** Whitespace that HTML does not ignore. */
const keptSpace = '\uE002';

/** A run of text within the same inline elements. */
interface Run {
  marks: string;
  text: string;
}

/** Describes everything a mail client renders, as one string. */
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
      // Malformed markup that HTML parsers treat as a comment.
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

/** Collapses whitespace as HTML does: to one space, and to none at the start and end of a line. */
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
