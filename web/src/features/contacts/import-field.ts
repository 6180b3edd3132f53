/** What a column becomes is a key of data, `email` or `subscribed`; a prefix tells keys with these names apart. */
const prefix = 'data.';

export const fieldOfKey = (key: string): string =>
  /^(?:data\.)*(?:email|subscribed)$/i.test(key) ? prefix + key : key;

export const keyOfField = (field: string): string =>
  /^data\.(?:data\.)*(?:email|subscribed)$/i.test(field) ? field.slice(prefix.length) : field;
