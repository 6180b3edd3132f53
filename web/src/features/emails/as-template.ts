/** A link to the pages of a contact, with a token of 48 bytes. */
const contactLink = /https?:\/\/[^\s"'<>]+?\/(unsubscribe|subscribe|manage|view)\/[\w-]{64}(?![\w-])/g;

/** A template that renders to this text, whatever it contains, but with the links of the new recipient. */
export function asTemplate(rendered: string): string {
  const literal = rendered
    .replaceAll('{%', () => outside('{{ "{%" }}'))
    .replace(contactLink, (_, page) => outside(`{{ ${page}Url }}`));
  return `{% raw %}${literal}{% endraw %}`;
}

const outside = (output: string) => `{% endraw %}${output}{% raw %}`;
