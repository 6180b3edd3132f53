import { z } from 'zod';

/** Checks only the form: domains may have letters of any alphabet, and the API knows what else an address may contain. */
export const isAddress = (text: string): boolean => /^[^\s@:]+@[^\s@]+\.[^\s@]+$/.test(text);

/** What programs copy around an address: "Ada <ada@example.com>", "mailto:ada@example.com". */
const bareAddress = (text: string): string =>
  text
    .trim()
    .replace(/^[^<>@]*<([^<>]*)>$/, '$1')
    .replace(/^mailto:/i, '');

/** A field for an email address. */
export const addressSchema = (message: string) =>
  z.string().transform(bareAddress).refine(isAddress, message);
