import { escapeHtml } from '../../core/rendering/values.ts';

/** Markup that is safe to put into a page: only `html` makes it. */
export class Html {
  readonly text: string;
  private constructor(text: string) {
    this.text = text;
  }

  static join(strings: readonly string[], values: readonly HtmlValue[]): Html {
    return new Html(strings.map((text, index) => text + toMarkup(values[index])).join(''));
  }
}

/** Text is escaped; lists stand one after the other; `undefined` and `false` leave nothing. */
export type HtmlValue = Html | string | undefined | false | readonly HtmlValue[];

/** Markup with values in it, each of them escaped unless it is markup itself: between tags and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return Html.join(strings, values);
}

function toMarkup(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  return value.map(toMarkup).join('');
}
