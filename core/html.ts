/** Safe markup: only the tag `html` creates it. */
export class Html {
  readonly text: string;
  private constructor(text: string) {
    this.text = text;
  }

  static join(strings: readonly string[], values: readonly HtmlValue[]): Html {
    return new Html(strings.map((text, index) => text + toMarkup(values[index])).join(''));
  }
}

export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/**
 * Escapes every value that is not `Html` itself; lists are concatenated, `undefined` and `false` leave nothing.
 * Safe between tags and in quoted attributes only.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return Html.join(strings, values);
}

function toMarkup(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(toMarkup).join('');
  return escapeHtml(String(value));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => escapes[character] ?? '') : text;
}

/** With blanks for comments, so that positions stay: for searches of what mail programs show. */
export function blankComments(markup: string): string {
  if (!markup.includes('<!--')) return markup;
  return markup.replace(/<!--(?:-?>|[\s\S]*?(?:-->|$))/g, (comment) => ' '.repeat(comment.length));
}
