const form = /^[\x20-\x7e]{1,255}$/;

/** Whether an `Idempotency-Key` header has its form: 1 to 255 printable ASCII characters, a space included. */
export function isIdempotencyKey(key: string): boolean {
  return form.test(key);
}
