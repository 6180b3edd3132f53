import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import { sharedLayoutOf } from './bulk-layout.ts';
import type { OutgoingEmail } from './email-provider.ts';

/** What SES makes of a template: values go in as they are and are not looked at again. */
function fillIn(template: string | undefined, data: Record<string, string>): string {
  return (template ?? '').replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = data[key];
    if (value === undefined) throw new Error(`${key} is missing`);
    return value;
  });
}

function received(email: OutgoingEmail) {
  const layout = sharedLayoutOf(email);
  const data = layout?.dataOf(email);
  if (layout === undefined || data === undefined) return undefined;
  const { Html: html, Text: text } = layout.content;
  return { html: fillIn(html, data), text: fillIn(text, data), data, template: html };
}

const texts = fc.string({
  unit: fc.constantFrom('a', 'b', '{', '}', '\\', '$', '"', 'ä', '😀', '\n', '{{h0}}'),
});
const lists = fc.array(texts, { maxLength: 5 });
const weave = (pieces: readonly string[], between: readonly string[]) =>
  [...pieces, ''].map((piece, index) => `${between[index] ?? ''}${piece}`).join('');

describe('the layout that emails share in a bulk call', () => {
  it('gives every email back as it was, or is not used', () => {
    fc.assert(
      fc.property(lists, lists, lists, lists, (html, htmlValues, text, textValues) => {
        const email = exampleEmail({
          html: weave(html, htmlValues),
          text: `text ${weave(text, textValues)}`,
          layout: { html, text },
        });
        const { html: isHtml, text: isText } = received(email) ?? email;
        expect({ html: isHtml, text: isText }).toEqual({ html: email.html, text: email.text });
      }),
    );
  });

  it('holds what is in all emails, the data what is not', () => {
    const head = `<p>${'the same for everyone '.repeat(20)}</p>`;
    const email = (name: string) =>
      exampleEmail({
        html: `${head}<p>${name}</p>`,
        text: `Dear ${name}`,
        layout: shared,
      });
    const shared = { html: [head, 'a \\{{ that looks like a placeholder', 'a brace {'], text: ['Dear '] };
    expect(received(email('Ada'))).toMatchObject({
      data: { h0: '', h1: '<p>Ada</p>', t0: '', t1: 'Ada' },
      template: `{{h0}}${head}{{h1}}`,
    });
    expect(sharedLayoutOf(email('Bob'))).toBe(sharedLayoutOf(email('Ada')));
  });

  it('is not used for an email that lacks a piece, has no text, or has nothing in common', () => {
    const layout = { html: ['<p>one</p>'], text: [] };
    expect(received(exampleEmail({ html: '<p>two</p>', layout }))).toBeUndefined();
    expect(received(exampleEmail({ html: '<p>one</p>', text: ' ', layout }))).toBeUndefined();
    expect(received(exampleEmail({ layout: { html: [], text: [] } }))).toBeUndefined();
    expect(received(exampleEmail())).toBeUndefined();
  });
});
