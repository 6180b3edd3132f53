/** Variables that every email has. */
export const builtIn = [
  { name: 'email', detail: 'address of the reader' },
  { name: 'unsubscribeUrl', detail: 'link to unsubscribe' },
  { name: 'manageUrl', detail: 'link to preferences' },
  { name: 'subscribeUrl', detail: 'link to subscribe again' },
  { name: 'viewUrl', detail: 'link to this email as a page' },
  { name: 'subscribed', detail: 'true or false' },
  { name: 'id', detail: 'id of the contact' },
] as const;

/** The `data` keys among the fields that `/contacts/fields` lists. */
export const keysOf = (fields: readonly string[]): string[] =>
  fields.filter((field) => field.startsWith('data.')).map((field) => field.slice('data.'.length));

/** Whether Liquid can read it as a variable name, which may contain spaces. */
const isName = (key: string): boolean => /^[A-Za-z_][\w-]*( [\w-]+)*$/.test(key);

/** The Liquid expression for a field; also valid inside an HTML attribute. */
export const outputOf = (key: string): string => {
  if (isName(key)) return key;
  return key.includes("'") ? `data["${key}"]` : `data['${key}']`;
};

/** The expression for the field that holds first names, however the project spells it. */
export const firstNameOf = (fields: readonly string[]): string =>
  outputOf(keysOf(fields).find((key) => /^(first|given)[\s_-]?name$/i.test(key)) ?? 'firstName');
