/** Variables that every email has. */
export const builtIn = [
  { name: 'email', detail: 'address of the reader' },
  { name: 'unsubscribeUrl', detail: 'link to unsubscribe' },
  { name: 'manageUrl', detail: 'link to preferences' },
  { name: 'subscribeUrl', detail: 'link to subscribe again' },
  { name: 'subscribed', detail: 'true or false' },
  { name: 'id', detail: 'id of the contact' },
] as const;

/** The keys of `data` among what `/contacts/fields` lists. */
export const keysOf = (fields: readonly string[]): string[] =>
  fields.filter((field) => field.startsWith('data.')).map((field) => field.slice('data.'.length));

/** Whether Liquid reads it as a name, which may have spaces. */
const isName = (key: string): boolean => /^[A-Za-z_][\w-]*( [\w-]+)*$/.test(key);

/** How an email names the field, also within an attribute of HTML. */
export const outputOf = (key: string): string => {
  if (isName(key)) return key;
  return key.includes("'") ? `data["${key}"]` : `data['${key}']`;
};
