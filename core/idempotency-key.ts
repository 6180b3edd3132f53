const form = /^[\x20-\x7e]{1,255}$/;

export function isIdempotencyKey(key: string): boolean {
  return form.test(key);
}
