import { expect, it } from 'vitest';
import { addressSchema } from './address-schema.ts';

const schema = addressSchema('Enter an address');

it.each([
  'ada@example.com',
  'ada+news@mail.example.co.uk',
  'ada&co@example.com',
  'hello@bücher.example',
  'hello@xn--e1afmkfd.xn--p1ai',
  'hello@пример.рф',
])('accepts %s, as the API does', (address) => {
  expect(schema.safeParse(address).success).toBe(true);
});

it.each([' ada@example.com\n', 'Ada <ada@example.com>', 'mailto:ada@example.com'])(
  'takes the address out of %j',
  (text) => {
    expect(schema.parse(text)).toBe('ada@example.com');
  },
);

it.each([
  '',
  'ada',
  'ada@example',
  '@example.com',
  'ada@',
  'Ada <ada>',
  'a@b.c d@e.f',
  'a@b.c <d@e.f>',
  'to:a@b.c',
])('refuses %j', (text) => {
  expect(schema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual(['Enter an address']);
});
