import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleEmail } from '../testing/example-email.ts';
import { layOut } from './bulk-layout.ts';
import type { OutgoingEmail } from './email-provider.ts';

/** Fills in a template like SES: values are inserted verbatim and not expanded again. */
function fillIn(template: string | undefined, data: Record<string, string>): string {
  return (template ?? '').replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = data[key];
    if (value === undefined) throw new Error(`${key} is missing`);
    return value;
  });
}

function received(email: OutgoingEmail) {
  const { layout, data } = layOut(email);
  const { Html: html, Text: text } = layout.content;
  return { html: fillIn(html, data), text: fillIn(text, data), data, template: html };
}

const texts = fc.string({
  unit: fc.constantFrom('a', 'b', '{', '}', '\\', '$', '"', 'ä', '😀', '\n', '{{h0}}'),
});
const lists = fc.array(texts, { maxLength: 5 });
const weave = (pieces: readonly string[], between: readonly string[]) =>
  [...pieces, ''].map((piece, index) => `${between[index] ?? ''}${piece}`).join('');
const outline = (pieces: readonly string[], between: readonly string[]) => ({
  outline: weave(
    pieces.map(() => '\0'),
    between,
  ),
  pieces,
});

describe('the layout that emails share in a bulk call', () => {
  it('reproduces every email', () => {
    fc.assert(
      fc.property(lists, lists, lists, lists, (html, htmlValues, text, textValues) => {
        const email = exampleEmail({
          html: outline(html, htmlValues),
          text: outline(['text ', ...text], textValues),
        });
        const { html: isHtml, text: isText } = received(email);
        expect({ html: isHtml, text: isText }).toEqual({
          html: weave(html, htmlValues),
          text: weave(['text ', ...text], textValues),
        });
      }),
    );
  });

  it('holds the pieces of all emails, and the data holds the text between them', () => {
    const head = `<p>${'the same for everyone '.repeat(20)}</p>`;
    const pieces = { html: [head], text: ['Dear '] };
    const email = (name: string) =>
      exampleEmail({
        html: { outline: `\0<p>${name}</p>`, pieces: pieces.html },
        text: { outline: `\0${name}`, pieces: pieces.text },
      });
    expect(received(email('Ada'))).toMatchObject({
      data: { h0: '', h1: '<p>Ada</p>', t0: '', t1: 'Ada' },
      template: `{{h0}}${head}{{h1}}`,
    });
    expect(layOut(email('Bob')).layout).toBe(layOut(email('Ada')).layout);
  });

  it.each(['a \\{{ that looks like a placeholder', 'a brace {', '} a brace', 'x'.repeat(300_000)])(
    'holds no piece that SES might not accept: %#',
    (piece) => {
      const email = exampleEmail({ html: { outline: 'a\0b', pieces: [piece] } });
      expect(received(email)).toMatchObject({ data: { h0: `a${piece}b` }, template: '{{h0}}' });
    },
  );

  it('has no text for an email without one', () => {
    expect(layOut(exampleEmail({ text: ' \n' })).layout.content).toEqual({
      Subject: '{{subject}}',
      Html: '{{h0}}',
    });
    const { layout } = layOut(exampleEmail());
    expect(layout.content).toMatchObject({ Html: '{{h0}}', Text: '{{t0}}' });
    expect(layOut(exampleEmail()).layout).toBe(layout);
  });
});
