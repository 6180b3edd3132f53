/**
 * A column maps to a key of `data`, or to `email` or `subscribed`. A prefix marks keys of `data` with these two names.
 */
const prefix = 'data.';

export const fieldOfKey = (key: string): string =>
  /^(?:data\.)*(?:email|subscribed)$/i.test(key) ? prefix + key : key;

export const keyOfField = (field: string): string =>
  /^data\.(?:data\.)*(?:email|subscribed)$/i.test(field) ? field.slice(prefix.length) : field;
