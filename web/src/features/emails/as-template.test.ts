import { describe, expect, it } from 'vitest';
import { contentAgain } from './as-template.ts';

const contactId = '01890f3c-5a7e-7c11-9f2b-6d3e8a4b5c6d';
// The bytes of the contact's id decide the first 21 characters.
const tokenOf = (rest: string) => `AYkPPFp-fBGfK20-iktcb${rest.repeat(43)}`;
const token = tokenOf('X');
const manage = `https://mail.example.com/posthaste/manage/${token}`;
const encoded = encodeURIComponent(manage);
const hash = 'a1b2c3d4'.repeat(8);

const bodyOf = (html: string) => {
  const again = contentAgain(contactId, { subject: 'Hello', html });
  return 'body' in again ? again.body : again.refusal;
};

describe('a rendered email as a template', () => {
  it.each([
    ['Hello', 'Hello'],
    ['{ "a": { "b": 1 }}', '{ "a": { "b": 1 }}'],
    ['Hello {{ name }}', '{% raw %}Hello {{ name }}{% endraw %}'],
    ['a{% endraw %}b', '{% raw %}a{% endraw %}{{ "{%" }}{% raw %} endraw %}b{% endraw %}'],
    [`<a href="${manage}">`, '{% raw %}<a href="{% endraw %}{{ manageUrl }}{% raw %}">{% endraw %}'],
    [
      `<a href="https://x.io/r?to=${encoded}&a=1">`,
      '{% raw %}<a href="https://x.io/r?to={% endraw %}{{ manageUrl | url_encode }}{% raw %}&a=1">{% endraw %}',
    ],
    [
      `https://x.io/r?to=${manage}`,
      '{% raw %}https://x.io/r?to={% endraw %}{{ manageUrl }}{% raw %}{% endraw %}',
    ],
    [`https://x.io/r/${manage}`, '{% raw %}https://x.io/r/{% endraw %}{{ manageUrl }}{% raw %}{% endraw %}'],
    [
      `srcset="https://x.io/1.png,${manage} 2x"`,
      '{% raw %}srcset="https://x.io/1.png,{% endraw %}{{ manageUrl }}{% raw %} 2x"{% endraw %}',
    ],
    [`https://shop.example.com/invoices/view/${hash}`, `https://shop.example.com/invoices/view/${hash}`],
  ])('%j', (rendered, template) => {
    expect(bodyOf(rendered)).toBe(template);
  });

  it('has the links of the new reader also in place of those in other emails to this one', () => {
    const other = tokenOf('f');
    expect(bodyOf(`http://localhost:8080/view/${other}`)).toContain('{{ viewUrl }}');
  });

  it.each([token, encodeURIComponent(encoded), `https://x.io/${token}/manage`])(
    'is refused when it would give away a link of this reader: %j',
    (rendered) => {
      expect(bodyOf(`<p>${rendered}</p>`)).toContain('link that is only for its reader');
    },
  );

  it.each([
    [{ subject: 'é'.repeat(998), html: 'é'.repeat(256 * 1024) }, true],
    [{ subject: `${'a'.repeat(996)}{{`, html: 'a' }, false],
    [{ subject: 'a', html: `é${'é'.repeat(256 * 1024)}` }, false],
  ])('is refused when it exceeds the limits of templates', (rendered, fits) => {
    expect('body' in contentAgain(contactId, rendered)).toBe(fits);
  });
});
