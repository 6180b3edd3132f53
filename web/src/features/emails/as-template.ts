const mostSubject = 998;
const mostBodyBytes = 512 * 1024;

/** The part of the tokens in all links of a contact that its id decides. */
function tokenStart(contactId: string): string {
  const bytes = contactId.replaceAll('-', '').match(/../g) ?? [];
  const id = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  // The 22nd character also depends on the email.
  return id.slice(0, 21).replaceAll('+', '-').replaceAll('/', '_');
}

/** Links to the pages of a contact. They begin at the last URL, because a redirect may have another one before it. */
function contactLinks(start: string) {
  const page = '(unsubscribe|subscribe|manage|view)';
  const token = `${start}[\\w-]{43}(?![\\w-])`;
  return {
    plain: new RegExp(`https?://(?:(?!https?://)[\\w.~:[\\]/-])+?/${page}/${token}`, 'g'),
    encoded: new RegExp(`https?%3A%2F%2F(?:(?!https?%3A%2F%2F)[\\w.~%-])+?%2F${page}%2F${token}`, 'g'),
  };
}

/** A template that renders to this text, whatever it contains, but with the links of the new reader. */
function asTemplate(rendered: string, start: string): string {
  const { plain, encoded } = contactLinks(start);
  const literal = rendered
    .replaceAll('{%', () => outside('{{ "{%" }}'))
    .replace(plain, (_, page) => outside(`{{ ${page}Url }}`))
    .replace(encoded, (_, page) => outside(`{{ ${page}Url | url_encode }}`));
  // A long text may have no room for the tags.
  return literal === rendered && !rendered.includes('{{') ? rendered : `{% raw %}${literal}{% endraw %}`;
}

const outside = (output: string) => `{% endraw %}${output}{% raw %}`;

/** The templates of a rendered email, with the links of its new reader; or why it can't be sent again. */
export function contentAgain(
  contactId: string,
  rendered: { subject: string; html: string },
): { subject: string; body: string } | { refusal: string } {
  const start = tokenStart(contactId);
  const subject = asTemplate(rendered.subject, start);
  const body = asTemplate(rendered.html, start);
  if (`${subject} ${body}`.includes(start))
    return { refusal: 'An email with a link that is only for its reader' };
  if (subject.length > mostSubject) return { refusal: 'An email with a subject of this length' };
  if (new TextEncoder().encode(body).length > mostBodyBytes)
    return { refusal: 'An email of more than 512 KB' };
  return { subject, body };
}
